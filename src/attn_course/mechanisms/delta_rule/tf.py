"""The delta rule in TensorFlow. Formulas: ``reference.py``."""

from functools import partial
from typing import Any

from attn_course.core.chunked.tf import (
    at_once,
    before_maps,
    by_turns,
    check_gates,
    chunks,
    decay_between,
    forget,
    join,
    log_of,
    pad,
    to_front,
    widen,
)
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import dense
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.delta_rule.shared import DeltaDecay, DeltaSizes
from attn_course.mechanisms.linear.shared import State, check_delta, check_step
from attn_course.mechanisms.linear.tf import DecayingAttention, open_gate

__all__ = ["DeltaRuleAttention", "delta_rule_attention", "delta_rule_step"]


def delta_rule_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    beta: tf.Tensor,
    *,
    mask: Any = None,
    decay: tf.Tensor | None = None,
    chunk_size: int = 64,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.delta_rule_attention``.

    Chunk by chunk: what a chunk writes solves one triangular system, after which only
    the state goes from chunk to chunk.
    """
    check_delta(query, key, value, mask, beta, decay, chunk_size, numbers=True)
    check_gates(beta=beta, decay=decay)
    dtype, T, S = value.dtype, tf.shape(query)[-2], tf.shape(key)[-2]
    query, key, value, beta = widen(query, key, value, beta)
    beta = tf.broadcast_to(beta, tf.shape(key)[:-1])
    decay = tf.ones_like(beta) if decay is None else tf.cast(decay, key.dtype)
    beta, decay = beta[..., None], by_column(decay, key)
    if mask is not None:
        numbers = tf.linalg.matrix_transpose(mask)
        beta = tf.where(tf.cast(numbers, "bool"), beta, tf.zeros((), beta.dtype))
        decay = forget(decay, numbers, 1.0, 0.0)
    query = pad(query, S - T, 0)
    C = min(chunk_size, key.shape[-2] or chunk_size)
    if decay.shape[-1] == 1:
        fade, decay = fade_alike, log_of(decay, beta)
    else:
        fade, decay = fade_by_column, tf.broadcast_to(decay, tf.shape(key))
        C = 1 << (C - 1).bit_length()  # blocks of 1, 2, 4 ... positions
    prepare = partial(write_in_chunk, fade)
    inputs = [chunks(x, C) for x in (query, key, value, beta, decay)]
    if at_once(key):
        output = read_at_once(*prepare(*inputs))
    else:
        output = read_in_turn(prepare, *inputs)
    output = join(output)[..., :S, :]
    return tf.cast(pad(output, T - S, 0), dtype), None


def read_in_turn(prepare, *inputs):
    """What the chunks read, one after the other, each from the state that it gets.

    In a graph, what a chunk needs is prepared when its turn comes, and stays in the
    processor's cache; elsewhere so many small operations take longer to be called.
    """
    inputs = tuple(map(to_front, inputs))
    key, value = inputs[1][0], inputs[2][0]
    state = tf.zeros_like(tf.matmul(key, value, transpose_a=True))
    if tf.executing_eagerly():
        inputs, prepare = prepare(*inputs), lambda *parts: parts

    def step(carried, chunk):
        state, _ = carried
        asks, weights, known, new, later_key, kept = prepare(*chunk)
        write = new - known @ state
        output = asks @ state + weights @ write
        return kept * state + tf.matmul(later_key, write, transpose_a=True), output

    _, outputs = tf.scan(step, inputs, (state, tf.zeros_like(value)))
    return to_front(outputs, back=True)


def read_at_once(asks, weights, known, new, later_key, kept):
    """What all chunks read, from the states before them."""
    one = tf.eye(tf.shape(known)[-1], dtype=known.dtype)
    kept = kept * one - tf.matmul(later_key, known, transpose_a=True)
    states = before_maps(kept, tf.matmul(later_key, new, transpose_a=True))
    return asks @ states + weights @ (new - known @ states)


def by_column(decay, key):
    """A decay as (..., S, K), or as (..., S, 1) where the columns share it."""
    return decay if decay.shape.rank == key.shape.rank else decay[..., None]


def write_in_chunk(fade, query, key, value, beta, decay):
    """What each chunk needs to know before the state comes.

    Inside a chunk (1 + beta K K^T below the diagonal) write = beta (value - K state).
    """
    (known, old_key), (weights, asks), later_key, kept = fade(query, key, decay)
    ones = tf.ones(tf.shape(beta)[:-1], key.dtype)
    system = tf.linalg.set_diag(beta * known, ones)
    wanted = tf.concat([beta * old_key, beta * value], axis=-1)
    solved = tf.linalg.triangular_solve(system, wanted)
    K = tf.shape(key)[-1]
    known, new = solved[..., :K], solved[..., K:]
    return asks, weights, known, new, later_key, kept


def fade_alike(query, key, log_decay):
    """What a chunk asks and leaves, where the columns of its keys share a decay.

    Of keys and of queries the products with each key up to t, by what is left of it at
    t, and what they ask of the state before the chunk; then the keys as they are left
    at its end, and the share that it keeps of that state.
    """
    left = decay_between(log_decay[..., 0])
    since = tf.exp(tf.cumsum(log_decay, axis=-2))
    products = (tf.matmul(x, key, transpose_b=True) * left for x in (key, query))
    asks = zip(products, (key * since, query * since), strict=True)
    return *asks, key * left[..., -1, :, None], since[..., -1:, :]


def fade_by_column(query, key, decay):
    """``fade_alike`` of decays (..., C, K), not of their logarithms; C is a power of 2.

    From blocks of one position to blocks of twice the size. Of each block: its
    products, what it asks of the state before it, its keys as they are left at its end,
    and what it keeps. So a later half meets an earlier one; no factor is above 1.
    """
    size = key.shape[-2]
    query, key, kept = (x[..., None, :] for x in (query, key, decay))
    asks = tf.concat([key, query], axis=-2)  # two rows of every position
    found, asks = tf.matmul(asks, key, transpose_b=True), asks * kept
    while key.shape[-2] < size:
        (early, key), (asks, late) = pairs(key), pairs(asks)
        (first, second), (before, after) = pairs(found), pairs(kept)
        across = tf.matmul(late, early, transpose_b=True)
        lower = tf.concat([across, second], axis=-1)
        upper = tf.concat([first, tf.zeros_like(first)], axis=-1)
        found = tf.concat([upper, lower], axis=-2)
        key = tf.concat([early * after, key], axis=-2)
        asks = tf.concat([asks, late * before], axis=-2)
        kept = before * after
    found, asks, key, kept = (x[..., 0, :, :] for x in (found, asks, key, kept))
    of_key, of_query = zip(by_turns(found, -2), by_turns(asks, -2), strict=True)
    return of_key, of_query, key, tf.linalg.matrix_transpose(kept)


def pairs(blocks):
    """Of every two blocks (..., N, size, X) the earlier ones, and the later ones."""
    return by_turns(blocks, -3)


def delta_rule_step(
    state: Any,
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    beta: tf.Tensor,
    *,
    decay: tf.Tensor | None = None,
) -> tuple[tf.Tensor, Any]:
    """See ``attn_course.reference.delta_rule_step``. The state is float32 or more."""
    check_step(query, key, value, columns=("decay",), beta=beta, decay=decay)
    check_gates(beta=beta, decay=decay)
    dtype = value.dtype
    query, key, value, beta = widen(query, key, value, beta)
    key_column = tf.linalg.matrix_transpose(key)
    if state is None:
        state = tf.zeros_like(key_column * value)
    elif decay is not None:
        kept = by_column(tf.cast(decay, state.dtype), key)
        state = tf.linalg.matrix_transpose(kept) * state
    write = beta[..., None] * (value - key @ state)
    state = state + key_column * write
    return tf.cast(query @ state, dtype), state


@keras.saving.register_keras_serializable("attn_course")
class DeltaRuleAttention(DecayingAttention):
    """The delta rule over heads: ``delta_rule_attention``, with unit queries and keys.

    beta of every key and head is the sigmoid of a linear map of the key's input. decay:
    None, "fixed", "learned", or "columns", learned for each column of a key. Always
    causal, whatever it is asked for. The weights are never formed (they are None). The
    mask is padding. No bias of scores, no dropout.

    ``new_state`` and ``step`` decode: what is remembered does not grow.

    Differs: DeltaNet and its kin put a short convolution and SiLU before query, key and
        value, and a norm behind; here are the projections alone.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    Sizes = DeltaSizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        decay: DeltaDecay | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_dim, num_heads, own={"decay": decay}, **options)
        inputs = self.sizes.memory_dim[0]
        self.beta_dense = dense(self, "beta", inputs, num_heads, True)

    def gates(self, memory: tf.Tensor) -> dict[str, tf.Tensor]:
        """beta, and the decay where there is one."""
        return {"beta": open_gate(self.beta_dense(memory)), **super().gates(memory)}

    def new_state(self, batch: int) -> State:
        """The state of ``step`` before the first position: zeros."""
        check_at_least(1, batch=batch)
        H, dtype = self.num_heads, wide(self.query_dense.kernel.dtype)
        shape = batch, H, self.sizes.key_dim, self.sizes.value_dim
        return State(tf.zeros(shape, dtype), tf.constant(0))

    def remembering(self, memory, query, key, value, **gates):
        return delta_rule_step(memory, unit(query), unit(key), value, **gates)

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("DeltaRuleAttention", bias=bias, dropout=dropout)
        query, key = unit(query), unit(key)
        return delta_rule_attention(query, key, value, mask=mask, **gates)


def unit(x: tf.Tensor) -> tf.Tensor:
    """x at length 1; what is shorter than 1e-6 is lengthened a millionfold."""
    x_wide = tf.cast(x, wide(x.dtype))
    square = tf.reduce_sum(x_wide**2, axis=-1, keepdims=True)
    square = tf.maximum(square, tf.constant(1e-12, x_wide.dtype))
    return tf.cast(x_wide * tf.math.rsqrt(square), x.dtype)
