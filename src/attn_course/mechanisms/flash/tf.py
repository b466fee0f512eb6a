"""Flash attention in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.chunked.tf import chunks, join
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer
from attn_course.core.masks.tf import Mask
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_arrays, check_at_least, check_attention
from attn_course.mechanisms.flash.shared import TALL, FlashSizes, memory_traffic

__all__ = ["FlashAttention", "flash_attention", "memory_traffic", "online_softmax"]
ONE_BY_ONE = {"parallel_iterations": 1}  # tiles at a time: more would hold more


def renew(
    score: tf.Tensor, highest: tf.Tensor, total: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """One block of scores more: the new highest and total, what is kept, and exp."""
    new = tf.maximum(highest, tf.reduce_max(score, axis=-1, keepdims=True))
    kept = tf.exp(highest - new)
    part = tf.exp(score - new)
    return new, kept * total + tf.reduce_sum(part, axis=-1, keepdims=True), kept, part


def online_softmax(score: tf.Tensor, *, block_size: int) -> tf.Tensor:
    """See ``attn_course.reference.online_softmax``.

    Computed in float32 or more, returned in score's dtype.
    """
    check_arrays(score=score)
    check_at_least(1, block_size=block_size)
    score = tf.convert_to_tensor(score)
    dtype, score = score.dtype, tf.cast(score, wide(score.dtype))
    # Full blocks of minus infinity at the end change nothing.
    S = tf.shape(score)[-1]
    lead = tf.zeros((score.shape.rank - 1, 2), tf.int32)
    ends = tf.concat([lead, [[0, -S % block_size]]], axis=0)
    padded = tf.pad(score, ends, constant_values=-float("inf"))
    parts = tf.reshape(padded, (-1, (S + block_size - 1) // block_size, block_size))

    def step(state, block):
        return renew(block, *state)[:2]

    state = tf.foldl(step, tf.transpose(parts, (1, 0, 2)), first(parts[:, 0, :1]))
    shape = tf.concat([tf.shape(score)[:-1], [1]], axis=0)
    highest, total = (tf.reshape(x, shape) for x in state)
    return tf.cast(tf.exp(score - highest) / apart(total), dtype)


def first(like):
    """The highest score and the total before any score: (..., 1) each."""
    # Finite: minus infinity minus itself is NaN.
    return tf.fill(tf.shape(like), like.dtype.min), tf.zeros_like(like)


def apart(total):
    """The total, and 1 where nothing may be seen: what one can divide by."""
    return tf.where(total == 0, tf.ones((), total.dtype), total)


def flash_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    causal: bool = False,
    block_size: int = 128,
    scale: float | None = None,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.flash_attention``.

    All heads together, in loops of the graph that take any length. The backward pass
    forms the scores of ``block_size`` queries at a time again; a second derivative is
    an error.
    """
    check_attention(query, key, value, mask)
    check_at_least(1, block_size=block_size)
    dtype, shape = query.dtype, tf.shape(query)
    output_shape = tf.concat([shape[:-1], tf.shape(value)[-1:]], axis=0)
    if scale is None:
        scale = tf.cast(shape[-1], wide(dtype)) ** -0.5
    heads = [tf.cast(x, wide(dtype)) for x in (query, key, value)]
    query, key, value = (
        tf.reshape(x, tf.concat([[-1], tf.shape(x)[-2:]], axis=0)) for x in heads
    )
    spread = None if mask is None else Spread(mask, shape[:-2], query, key)
    output = tiles(query * scale, key, value, spread, causal, block_size)
    output = tf.reshape(tf.cast(output, dtype), output_shape)
    output.set_shape((*heads[0].shape[:-1], heads[2].shape[-1]))
    return output, None


class Spread:
    """A mask for all heads, of which a tile is taken: it is never spread as a whole."""

    def __init__(self, mask, lead, query, key):
        mask = tf.convert_to_tensor(mask)
        own = tf.range(tf.reduce_prod(tf.shape(mask)[:-2]))
        own = tf.broadcast_to(tf.reshape(own, tf.shape(mask)[:-2]), lead)
        self.own = tf.reshape(own, (-1,))
        T = 1 if mask.shape[-2] == 1 else tf.shape(query)[1]
        self.rows = T
        wanted = tf.concat([tf.shape(mask)[:-2], [T, tf.shape(key)[1]]], axis=0)
        flat = tf.concat([[-1], wanted[-2:]], axis=0)
        self.mask = tf.reshape(tf.broadcast_to(mask, wanted), flat)

    def tile(self, rows, columns):
        """Who may be seen, (Z, C, C), where rows and columns are positions."""
        found = self.mask
        if not isinstance(self.rows, int):
            # What is behind the last row or column is padding, and hidden anyway.
            found = tf.gather(found, tf.minimum(rows, self.rows - 1), axis=1)
        last = tf.shape(self.mask)[2] - 1
        found = tf.gather(found, tf.minimum(columns, last), axis=2)
        return tf.gather(found, self.own)


def scores(query, key, spread, causal, sizes, tile):
    """The scores of a tile, minus infinity where blocked; the query is scaled."""
    (T, S), (rows, columns) = sizes, tile
    score = tf.matmul(query, key, transpose_b=True)
    allowed = columns < S
    if causal:
        allowed = allowed & (columns <= rows[:, None] + S - T)
    if spread is not None:
        allowed = allowed & spread.tile(*tile)
    return tf.where(allowed, score, tf.constant(-float("inf"), score.dtype))


def forward(query, key, value, spread, causal, block_size):
    """The output (Z, T, V), and highest + log(total), (Z, T, 1)."""
    T, S = sizes = tf.shape(query)[1], tf.shape(key)[1]
    tall = tf.minimum(TALL * block_size, T)
    query_N, key_N, value_N = (
        tf.transpose(chunks(x, size), (1, 0, 2, 3))
        for x, size in ((query, tall), (key, block_size), (value, block_size))
    )

    def block(inputs):
        own, n = inputs
        rows = n * tall + tf.range(tall)
        seen = tf.clip_by_value((n + 1) * tall + S - T, 0, S) if causal else S

        def step(m, highest, total, context):
            columns = m * block_size + tf.range(block_size)
            tile = spread, causal, sizes, (rows, columns)
            score = scores(own, tf.gather(key_N, m), *tile)
            highest, total, kept, part = renew(score, highest, total)
            context = kept * context + part @ tf.gather(value_N, m)
            return m + 1, highest, total, context

        blank = tf.zeros_like(own[..., :1])
        context = blank * tf.zeros_like(value[:1, :1])
        state = 0, *first(blank), context
        more = lambda m, *_: m * block_size < seen  # noqa: E731
        _, highest, total, context = tf.while_loop(more, step, state, **ONE_BY_ONE)
        log_total = tf.where(total == 0, blank, highest + tf.math.log(apart(total)))
        return context / apart(total), log_total

    kinds = query.dtype, query.dtype
    numbered = query_N, tf.range(tf.shape(query_N)[0])
    found = tf.map_fn(block, numbered, fn_output_signature=kinds, **ONE_BY_ONE)
    return tuple(join(tf.transpose(x, (1, 0, 2, 3)))[:, :T] for x in found)


def backward(query, key, value, spread, causal, block_size, saved, grads):
    """The gradients of query, key and value, by blocks of queries and all their keys.

    Source: FlashAttention-2, Algorithm 2.
    """
    sizes = tf.shape(query)[1], tf.shape(key)[1]
    size = tf.minimum(block_size, sizes[0])
    (grad,) = grads
    dot = tf.reduce_sum(grad * saved[0], axis=-1, keepdims=True)
    parts = [
        tf.transpose(chunks(x, size), (1, 0, 2, 3))
        for x in (query, grad, saved[1], dot)
    ]
    columns = tf.range(sizes[1])

    def step(n, of_query, of_key, of_value):
        own, own_grad, own_log, own_dot = (tf.gather(x, n) for x in parts)
        rows = n * size + tf.range(size)
        score = scores(own, key, spread, causal, sizes, (rows, columns))
        weights = tf.exp(score - own_log)
        grad_score = tf.matmul(own_grad, value, transpose_b=True) - own_dot
        grad_score = weights * grad_score
        of_query = of_query.write(n, grad_score @ key)
        of_key = of_key + tf.matmul(grad_score, own, transpose_a=True)
        of_value = of_value + tf.matmul(weights, own_grad, transpose_a=True)
        return n + 1, of_query, of_key, of_value

    N = tf.shape(parts[0])[0]
    rows = tf.TensorArray(query.dtype, N, element_shape=parts[0].shape[1:])
    state = 0, rows, tf.zeros_like(key), tf.zeros_like(value)
    more = lambda n, *_: n < N  # noqa: E731
    _, of_query, *others = tf.while_loop(more, step, state, **ONE_BY_ONE)
    of_query = join(tf.transpose(of_query.stack(), (1, 0, 2, 3)))[:, : sizes[0]]
    return of_query, *others


def tiles(query, key, value, spread, causal, block_size):
    """``forward`` with ``backward``: a tape alone would keep every tile."""
    options = spread, causal, block_size

    @tf.custom_gradient
    def attend(query, key, value):
        saved = forward(query, key, value, *options)

        def gradients(grad):
            found = backward(query, key, value, *options, saved, (grad,))
            message = "flash_attention has no second derivative"
            return [tf.raw_ops.PreventGradient(input=x, message=message) for x in found]

        return saved[0], gradients

    return attend(query, key, value)


@keras.saving.register_keras_serializable("attn_course")
class FlashAttention(AttentionLayer):
    """Multi-head attention that never forms its weights: ``flash_attention``.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``. The
    weights are None. No bias of scores, no dropout, no other softmax: it is taken
    tile by tile.

    Raises:
        ValueError: a size is no whole number of at least 1, dropout; in the call, a
            bias.
    """

    Sizes = FlashSizes
    can_drop = False
    own_scale = True

    def __init__(
        self, model_dim: int, num_heads: int, *, block_size: int = 128, **options: Any
    ) -> None:
        own = {"block_size": block_size}
        super().__init__(model_dim, num_heads, own=own, **options)

    def attend(
        self, query, key, value, mask, *, bias, need_weights, dropout, **options
    ):
        check_supported("FlashAttention", bias=bias, dropout=dropout)
        options["block_size"] = self.sizes.block_size
        return flash_attention(query, key, value, mask, **options)
