"""LSH attention and reversible layers in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Iterable
from typing import Any

from attn_course.core.chunked.tf import chunks, join, widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer, Layer, PairLayer, with_padding
from attn_course.core.shapes import check_shapes
from attn_course.mechanisms.blocks.tf import over_heads
from attn_course.mechanisms.hashing.shared import (
    CHUNK,
    HashSizes,
    check_lsh,
    draw_rotations,
)

__all__ = ["LSHAttention", "ReversibleLayers", "lsh_attention", "lsh_buckets"]

LOWEST = -1e30  # the score of a key that is not allowed: finite, below all others
NOBODY = -4  # the rank of a blocked position: not near any other


def lsh_buckets(x: tf.Tensor, rotations: tf.Tensor) -> tf.Tensor:
    """See ``attn_course.reference.lsh_buckets``."""
    check_shapes(x=(x, "...SK"), rotations=(rotations, "rKb"))
    found = tf.tensordot(x, tf.cast(rotations, x.dtype), [[-1], [1]])  # (..., S, r, b)
    both = tf.concat([found, -found], axis=-1)
    buckets = tf.argmax(both, axis=-1, output_type=tf.int32)
    return tf.linalg.matrix_transpose(buckets)


def lsh_attention(
    query_key: tf.Tensor,
    value: tf.Tensor,
    mask: Any = None,
    *,
    num_buckets: int,
    num_rounds: int = 1,
    chunk_size: int | None = None,
    seed: int = 0,
    rotations: tf.Tensor | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.lsh_attention``.

    Sorted by bucket and cut into chunks: the scores are S x 2 chunk_size per round.
    Computed in float32 or more. The rounds are merged by their log-sum-exp.
    """
    sizes = num_buckets, num_rounds, chunk_size
    check_lsh(query_key, value, mask, rotations, *sizes, numbers=True)
    dtype, K = value.dtype, query_key.shape[-1]
    if rotations is None:
        rotations = draw_rotations(K, num_buckets, num_rounds, seed)
    size = CHUNK if chunk_size is None else chunk_size
    sizes = num_buckets, size, causal, scale

    def heads(query, key, value, seen, **_):  # softmax and scale are its own
        return attend_heads(query, value, seen, rotations, *sizes)

    query, value = widen(query_key, value)
    context, _ = over_heads(heads, query, query, value, mask)
    return tf.cast(context, dtype), None


def attend_heads(query, value, seen, rotations, num_buckets, size, causal, scale):
    """All rounds of some heads (L, S, V); seen (L, S, 1), or numbers of documents."""
    S, numbers = tf.shape(query)[-2], tf.linalg.matrix_transpose(seen)
    seen, shown = tf.cast(seen, "bool"), tf.cast(numbers, "bool")
    buckets = tf.where(shown, lsh_buckets(query, rotations), num_buckets)
    packed = numbers.dtype != tf.bool
    if packed:  # a document has buckets of its own
        numbers = tf.cast(numbers, buckets.dtype)
        buckets = buckets + numbers * (num_buckets + 1)
    order = tf.argsort(buckets, axis=-1, stable=True)
    rank = tf.argsort(order, axis=-1)  # of every position, in the buckets' order
    # A difference of 0 or 1: the same bucket, and the same chunk or the one before.
    place = rank
    if packed:  # behind the first of its document: there its chunks begin
        row = tf.broadcast_to(numbers, (tf.shape(query)[0], 1, S))[:, 0]
        place = rank - tf.searchsorted(tf.sort(row), row)[:, None]
    code = buckets * (2 * -(-S // size)) + place // size
    code = tf.where(shown, code, NOBODY)
    options = size, causal, scale, packed
    rounds = [
        attend_in_chunks(query, value, code[:, : r + 1], order[:, r], *options)
        for r in range(order.shape[1])
    ]
    output = merge_rounds(rounds, rank, value)
    return tf.where(seen, output, tf.zeros((), output.dtype))


def attend_in_chunks(query, value, code, order, size, causal, scale, packed):
    """One round, still sorted and in whole chunks: output, log-sum-exp of the scores.

    code (L, rounds so far, S): a key that an earlier round allowed is left to it.
    """
    query, value = take(query, order), take(value, order)
    square = tf.reduce_sum(query**2, axis=-1, keepdims=True)
    square = tf.maximum(square, tf.constant(1e-12, square.dtype))
    if scale is None:
        key = query * tf.math.rsqrt(query.shape[-1] * square)
    else:
        key = query * (scale * tf.math.rsqrt(square))
    query = chunks(query, size)
    key, value = (with_others(x, size, packed) for x in (key, value))
    score = tf.matmul(query, key, transpose_b=True)
    near = is_near(code, order, size, packed)
    earlier = tf.reduce_any(near[..., :-1, :, :], axis=-3)
    allowed = near[..., -1, :, :] & ~earlier
    position = order[..., None]
    held = tf.linalg.matrix_transpose(with_others(position, size, packed))
    behind = chunks(position, size) - held
    allowed = allowed & (behind > 0 if causal else behind != 0)
    score = tf.where(allowed, score, tf.constant(LOWEST, score.dtype))
    highest = tf.reduce_max(tf.stop_gradient(score), axis=-1, keepdims=True)
    weight = tf.exp(score - highest)
    total = tf.reduce_sum(weight, axis=-1, keepdims=True)
    found = (weight @ value) / total, highest + tf.math.log(total)
    return [join(x) for x in found]


def is_near(code, order, size, packed):
    """Whether key and query share bucket and neighborhood, (L, N, rounds, C, 2 C)."""
    # Shifted so that the zeros of `chunks` and `with_others` mean NOBODY.
    sorted_code = take(tf.linalg.matrix_transpose(code), order) - NOBODY
    asked, held = chunks(sorted_code, size), with_others(sorted_code, size, packed)
    asked, held = (tf.linalg.matrix_transpose(x) for x in (asked, held))
    apart = asked[..., None] - held[..., None, :]
    return ((apart == 0) | (apart == 1)) & (asked > 0)[..., None]


def take(x, order):
    """The rows of x (L, S, X) in this order (L, S)."""
    return tf.gather(x, order, batch_dims=1)


def with_others(x, size, packed):
    """Chunks (L, N, 2 C, X): each behind the one before it, the first behind zeros.

    packed: (L, N, 4 C, X), with two before and one after, since the documents' own
    chunks begin anywhere in these.
    """
    x = chunks(x, size)
    N, none = tf.shape(x)[1], tf.zeros_like(x[:, :1])
    before, after = (2, 1) if packed else (1, 0)
    row = tf.concat([none] * before + [x] + [none] * after, axis=1)
    return tf.concat([row[:, n : n + N] for n in range(before + after + 1)], axis=2)


def merge_rounds(rounds, rank, value):
    """The softmax over all that the rounds allowed, from theirs; alone, the own value.

    share[r] = exp(log_sum[r]) / sum over rounds of exp(log_sum[r])
    """
    found = [[take(x, rank[:, r]) for x in one] for r, one in enumerate(rounds)]
    outputs, log_sums = (tf.stack(x, axis=1) for x in zip(*found, strict=True))
    share = tf.nn.softmax(log_sums, axis=1)
    alone = tf.reduce_max(log_sums, axis=1) < LOWEST / 2
    return tf.where(alone, value, tf.reduce_sum(share * outputs, axis=1))


@keras.saving.register_keras_serializable("attn_course")
class LSHAttention(AttentionLayer):
    """Attention over heads to what falls into the same bucket: ``lsh_attention``.

    Queries and keys are one projection, ``query``: it is called with one input, and a
    mask. ``rotations`` are drawn with the seed and kept, not trained; ``redraw`` draws
    others. The weights are None. No bias of scores, no dropout, no cache, no other
    softmax: the rounds are put together by sums of their own.

    chunk_size: None is 64 positions, whatever the length: padding changes nothing.

    Raises:
        ValueError: a size is not a whole number of at least 1, or num_buckets is odd.
    """

    Sizes = HashSizes
    shared_key = True
    can_drop = False
    own_scale = True
    reads_memory = False  # it has one input
    mask_rows = None

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_buckets: int,
        num_rounds: int = 1,
        chunk_size: int | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        hashing = {"num_buckets": num_buckets, "num_rounds": num_rounds}
        hashing["chunk_size"] = chunk_size
        own = {**hashing, "seed": seed}
        super().__init__(model_dim, num_heads, own=own, **options)
        self.hashing = hashing
        shape = num_rounds, self.sizes.key_dim, num_buckets // 2
        options = {"shape": shape, "trainable": False, "initializer": "zeros"}
        self.rotations = self.add_weight(name="rotations", **options)
        self.redraw(seed)

    @property
    def key_dense(self) -> keras.layers.Dense:
        """One projection serves queries and keys."""
        return self.query_dense

    def redraw(self, seed: int) -> None:
        """Hash by other directions from now on."""
        num_rounds, key_dim, half = self.rotations.shape
        self.rotations.assign(draw_rotations(key_dim, 2 * half, num_rounds, seed))

    def __call__(self, query: Any, mask: Any = None, **options: Any) -> Any:
        mask = with_padding(mask, query, axes=2)
        return PairLayer.__call__(self, query, mask, **options)

    def call(
        self, query: tf.Tensor, mask: Any = None, **options: Any
    ) -> tuple[tf.Tensor, None]:
        """Attend within the query; the options are those of ``AttentionLayer``."""
        check_supported("LSHAttention", cache=options.get("cache"))
        return super().call(query, None, None, mask, **options)

    def attend(
        self, query, key, value, mask, *, bias, need_weights, dropout, **options
    ):
        check_supported("LSHAttention", bias=bias, dropout=dropout)
        options |= {**self.hashing, "rotations": self.rotations}
        return lsh_attention(query, value, mask, **options)


@keras.saving.register_keras_serializable("attn_course")
class ReversibleLayers(Layer):
    """See ``attn_course.pytorch.ReversibleLayers``.

    What is kept of the first time is ``training`` and what no gradient changes: seeds
    of Keras, moving means.

    Raises:
        ValueError: x has an odd width.
    """

    hands_on_padding = True

    def __init__(
        self,
        pairs: Iterable[tuple[keras.layers.Layer, keras.layers.Layer]],
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.pairs = [list(pair) for pair in pairs]

    def call(self, x: tf.Tensor, training: bool | None = None) -> tf.Tensor:
        """Through all layers, in order."""
        if x.shape[-1] % 2:
            raise ValueError(f"x must have an even width, got {x.shape[-1]}")
        for part in (part for pair in self.pairs for part in pair):
            if not part.built:
                part(tf.zeros_like(tf.split(x, 2, axis=-1)[0]))
        return _reversible(self.pairs, x, training)

    def get_config(self) -> dict[str, Any]:
        keep = keras.saving.serialize_keras_object
        pairs = {"pairs": [[keep(part) for part in pair] for pair in self.pairs]}
        return super().get_config() | pairs

    @classmethod
    def of_config(cls, config: dict[str, Any]) -> "ReversibleLayers":
        make = keras.saving.deserialize_keras_object
        pairs = {"pairs": [[make(part) for part in one] for one in config["pairs"]]}
        return cls(**config | pairs)


def _reversible(pairs, x, training):
    @tf.custom_gradient
    def run(x):
        (x1, x2), states = tf.split(x, 2, axis=-1), []
        for f, g in pairs:
            states.append(_State(f, training))
            x1 = x1 + f(x2)
            states.append(_State(g, training))
            x2 = x2 + g(x1)
        output = tf.concat([x1, x2], axis=-1)

        def backward(gradient, variables=()):
            (y1, y2), (d1, d2) = (tf.split(y, 2, axis=-1) for y in (output, gradient))
            sums = {variable.ref(): None for variable in variables}
            back = reversed(states)
            for f, g in reversed(pairs):
                y2, d1 = undo(g, next(back), y1, y2, d1, d2, sums)
                y1, d2 = undo(f, next(back), y2, y1, d2, d1, sums)
            passed = tf.concat([d1, d2], axis=-1)
            return (passed, list(sums.values())) if variables else passed

        return output, backward

    return run(x)


class _State:
    """The mode of a part and its seeds and means in a moment, to call it again."""

    def __init__(self, part: keras.layers.Layer, training: bool | None) -> None:
        self.part, self.training = part, training
        self.kept = part.non_trainable_variables
        self.values = [tf.identity(x.value) for x in self.kept]

    def again(self, given: tf.Tensor) -> tf.Tensor:
        """The part's output as then; afterwards all is as it was."""
        now = [tf.identity(x.value) for x in self.kept]
        for variable, value in zip(self.kept, self.values, strict=True):
            variable.assign(value)
        output = self.part(given, training=self.training)
        for variable, value in zip(self.kept, now, strict=True):
            variable.assign(value)
        return output


def undo(part, state, given, result, d_given, d_result, sums):
    """What ``part(given)`` was added to, and the gradient of given with its share.

    The gradients of the part's parameters are added to sums.
    """
    own = [variable.value for variable in part.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch(given)
        added = state.again(given)
    found, *parameters = tape.gradient(added, [given, *own], d_result)
    for variable, x in zip(own, parameters, strict=True):
        old = sums[variable.ref()]
        sums[variable.ref()] = x if old is None or x is None else old + x
    return result - added, d_given if found is None else d_given + found
