"""The delta rule in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.chunked.tf import (
    at_once,
    before_maps,
    check_gates,
    chunks,
    decay_between,
    decay_in_chunk,
    join,
    log_of,
    pad,
    to_front,
    widen,
)
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import dense
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.dot_product.tf import wide
from attn_course.mechanisms.linear.shared import (
    DecaySizes,
    State,
    check_delta,
    check_step,
)
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
    check_delta(query, key, value, mask, beta, decay, chunk_size)
    check_gates(beta=beta, decay=decay)
    dtype, T, S = value.dtype, tf.shape(query)[-2], tf.shape(key)[-2]
    query, key, value, beta = widen(query, key, value, beta)
    beta = tf.broadcast_to(beta, tf.shape(key)[:-1])
    log_decay = tf.zeros_like(beta) if decay is None else log_of(decay, key)
    if mask is not None:
        beta = tf.where(mask[..., 0, :], beta, tf.zeros((), beta.dtype))
        log_decay = tf.where(mask[..., 0, :], log_decay, tf.zeros((), beta.dtype))
    query = pad(query, S - T, 0)
    C = tf.minimum(chunk_size, tf.maximum(S, 1))
    gates = (chunks(x[..., None], C)[..., 0] for x in (beta, log_decay))
    parts = write_in_chunk(*(chunks(x, C) for x in (query, key, value)), *gates)
    read = read_at_once if at_once(key) else read_in_turn
    output = join(read(*parts))[..., :S, :]
    return tf.cast(pad(output, T - S, 0), dtype), None


def read_in_turn(*parts):
    """What the chunks read, one after the other, each from the state that it gets."""
    parts = tuple(map(to_front, parts))
    known, new = parts[2][0], parts[3][0]
    state = tf.zeros_like(tf.matmul(known, new, transpose_a=True))

    def step(carried, chunk):
        (state, _), (asks, weights, known, new, later_key, kept) = carried, chunk
        write = new - known @ state
        output = asks @ state + weights @ write
        return kept * state + tf.matmul(later_key, write, transpose_a=True), output

    _, outputs = tf.scan(step, parts, (state, tf.zeros_like(new)))
    return to_front(outputs, back=True)


def read_at_once(asks, weights, known, new, later_key, kept):
    """What all chunks read, from the states before them."""
    one = tf.eye(tf.shape(known)[-1], dtype=known.dtype)
    kept = kept * one - tf.matmul(later_key, known, transpose_a=True)
    states = before_maps(kept, tf.matmul(later_key, new, transpose_a=True))
    return asks @ states + weights @ (new - known @ states)


def write_in_chunk(query, key, value, beta, log_decay):
    """What each chunk needs to know before the state comes.

    Inside a chunk (1 + beta K K^T below the diagonal) write = beta (value - K state).
    """
    to_end, from_start = decay_in_chunk(log_decay)
    left = decay_between(to_end)
    to_end, from_start = to_end[..., None], from_start[..., None]
    beta, old_key = beta[..., None], key * tf.exp(from_start)
    system = beta * tf.matmul(key, key, transpose_b=True) * left
    ones = tf.ones(tf.shape(beta)[:-1], key.dtype)
    system = tf.linalg.set_diag(system, ones)
    wanted = tf.concat([beta * old_key, beta * value], axis=-1)
    solved = tf.linalg.triangular_solve(system, wanted)
    K = tf.shape(key)[-1]
    known, new = solved[..., :K], solved[..., K:]
    weights = tf.matmul(query, key, transpose_b=True) * left
    asks, later_key = query * tf.exp(from_start), key * tf.exp(to_end)
    kept = tf.exp(from_start[..., -1:, :])
    return asks, weights, known, new, later_key, kept


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
    check_step(query, key, value, beta=beta, decay=decay)
    check_gates(beta=beta, decay=decay)
    dtype = value.dtype
    query, key, value, beta = widen(query, key, value, beta)
    key_column = tf.linalg.matrix_transpose(key)
    if state is None:
        state = tf.zeros_like(key_column * value)
    elif decay is not None:
        state = tf.cast(decay, state.dtype)[..., None] * state
    write = beta[..., None] * (value - key @ state)
    state = state + key_column * write
    return tf.cast(query @ state, dtype), state


@keras.saving.register_keras_serializable("attn_course")
class DeltaRuleAttention(DecayingAttention):
    """The delta rule over heads: ``delta_rule_attention``, with unit queries and keys.

    beta of every key and head is the sigmoid of a linear map of the key's input. decay:
    None, "fixed" or "learned". Always causal, whatever it is asked for. The weights are
    never formed (they are None). The mask is padding. No bias, no dropout.

    ``new_state`` and ``step`` decode: what is remembered does not grow.

    Differs: DeltaNet and its kin put a short convolution and SiLU before query, key and
        value, and a norm behind; here are the projections alone.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    Sizes = DecaySizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        decay: str | None = None,
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
