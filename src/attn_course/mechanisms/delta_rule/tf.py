"""The delta rule in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.chunked.tf import (
    at_once,
    before_maps,
    check_gates,
    chunks,
    decay_between,
    decay_in_chunk,
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
    log_decay = tf.zeros_like(beta) if decay is None else log_of(decay, key)
    beta, log_decay = beta[..., None], by_column(log_decay, key)
    if mask is not None:
        numbers = tf.linalg.matrix_transpose(mask)
        beta = tf.where(tf.cast(numbers, "bool"), beta, tf.zeros((), beta.dtype))
        log_decay = forget(log_decay, numbers)
    query = pad(query, S - T, 0)
    C = min(chunk_size, key.shape[-2] or chunk_size)  # a number: ``products`` halves it
    inputs = [chunks(x, C) for x in (query, key, value, beta, log_decay)]
    if at_once(key):
        output = read_at_once(*write_in_chunk(*inputs))
    else:
        output = read_in_turn(*inputs)
    output = join(output)[..., :S, :]
    return tf.cast(pad(output, T - S, 0), dtype), None


def read_in_turn(*inputs):
    """What the chunks read, one after the other, each from the state that it gets.

    What a chunk needs is prepared when its turn comes, and stays in the cache.
    """
    inputs = tuple(map(to_front, inputs))
    key, value = inputs[1][0], inputs[2][0]
    state = tf.zeros_like(tf.matmul(key, value, transpose_a=True))

    def step(carried, chunk):
        state, _ = carried
        asks, weights, known, new, later_key, kept = write_in_chunk(*chunk)
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


def write_in_chunk(query, key, value, beta, log_decay):
    """What each chunk needs to know before the state comes.

    Inside a chunk (1 + beta K K^T below the diagonal) write = beta (value - K state).
    """
    to_end, from_start = decay_by_row(log_decay)
    old_key = key * tf.exp(from_start)
    known, weights = products((key, query), key, log_decay, to_end)
    ones = tf.ones(tf.shape(beta)[:-1], key.dtype)
    system = tf.linalg.set_diag(beta * known, ones)
    wanted = tf.concat([beta * old_key, beta * value], axis=-1)
    solved = tf.linalg.triangular_solve(system, wanted)
    K = tf.shape(key)[-1]
    known, new = solved[..., :K], solved[..., K:]
    asks, later_key = query * tf.exp(from_start), key * tf.exp(to_end)
    kept = tf.linalg.matrix_transpose(tf.exp(from_start[..., -1:, :]))
    return asks, weights, known, new, later_key, kept


def products(asks, key, log_decay, to_end):
    """Of each ask[t] . key[s], column by column, what is left at t; 0 where s > t."""
    if log_decay.shape[-1] == 1:
        left = decay_between(to_end[..., 0])
        return [tf.matmul(x, key, transpose_b=True) * left for x in asks]
    C, size = key.shape[-2], 1
    more = (1 << (C - 1).bit_length()) - C  # to a power of 2
    *asks, key, log_decay = (pad(x, 0, more) for x in (*asks, key, log_decay))
    # From blocks of one position to blocks of twice the size: between an earlier half
    # and a later one, what is left of the key at the end of its half, and from there.
    found = [tf.reduce_sum(x * key, axis=-1)[..., None, None] for x in asks]
    since = log_decay[..., None, :]  # of a block, up to t; and of what is ahead of t
    ahead = tf.zeros_like(since)
    while size < C:
        (before, since), (ahead, after) = pairs(since), pairs(ahead)
        early, later = halves(key, size)[0] * tf.exp(ahead), tf.exp(since)
        for n, x in enumerate(asks):
            late = halves(x, size)[1] * later
            across = tf.matmul(late, early, transpose_b=True)
            one, other = pairs(found[n])
            upper = tf.concat([one, tf.zeros_like(one)], axis=-1)
            found[n] = tf.concat([upper, tf.concat([across, other], axis=-1)], axis=-2)
        ahead = tf.concat([ahead + since[..., -1:, :], after], axis=-2)
        since = tf.concat([before, since + before[..., -1:, :]], axis=-2)
        size *= 2
    return [x[..., 0, :C, :C] for x in found]


def halves(x, size):
    """Of every block of 2 size positions both halves: (..., C / 2 size, size, X)."""
    shape = tf.shape(x)
    cut = tf.concat([shape[:-2], [-1, 2, size], shape[-1:]], axis=0)
    return tf.unstack(tf.reshape(x, cut), num=2, axis=-3)


def pairs(blocks):
    """Of every two blocks (..., size, X) the earlier ones, and the later ones."""
    return blocks[..., 0::2, :, :], blocks[..., 1::2, :, :]


def decay_by_row(log_decay):
    """``decay_in_chunk`` of (..., C, X), for each of X columns."""
    turned = tf.linalg.matrix_transpose
    return [turned(x) for x in decay_in_chunk(turned(log_decay))]


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
    mask is padding. No bias, no dropout.

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
