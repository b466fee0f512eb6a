"""The delta rule in TensorFlow. Formulas: ``reference.py``."""

from attn_course.frameworks import tf
from attn_course.linear.shared import check_linear, check_step
from attn_course.linear.tf import (
    chunks,
    decay_between,
    decay_in_chunk,
    join,
    log_of,
    pad,
    widen,
)

__all__ = ["delta_rule_attention", "delta_rule_step"]


def delta_rule_attention(
    query, key, value, beta, *, mask=None, decay=None, chunk_size=64
):
    """See ``attn_course.reference.delta_rule_attention``.

    Chunk by chunk: what a chunk writes solves one triangular system, after which only
    the state goes from chunk to chunk.
    """
    check_linear(query, key, value, mask, beta=beta, decay=decay)
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
    state = tf.zeros_like(tf.matmul(key[..., :1, :], value[..., :1, :], transpose_a=True))

    def step(carried, chunk):
        (state, _), (asks, weights, known, new, later_key, kept) = carried, chunk
        write = new - known @ state
        output = asks @ state + weights @ write
        return kept * state + tf.matmul(later_key, write, transpose_a=True), output

    empty = tf.zeros_like(parts[3][0])
    _, outputs = tf.scan(step, parts, (state, empty))
    output = join(to_front(outputs, back=True))[..., :S, :]
    return tf.cast(pad(output, T - S, 0), dtype), None


def write_in_chunk(query, key, value, beta, log_decay):
    """What each chunk needs to know before the state comes, chunks on the first axis.

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
    return tuple(map(to_front, (asks, weights, known, new, later_key, kept)))


def to_front(x, back=False):
    """The axis of the chunks, third from the end, first; or back again."""
    axes = list(range(x.shape.rank))
    axes.insert(*((-2, axes.pop(0)) if back else (0, axes.pop(-3))))
    return tf.transpose(x, axes)


def delta_rule_step(state, query, key, value, beta, *, decay=None):
    """See ``attn_course.reference.delta_rule_step``. The state is float32 or more."""
    check_step(query, key, value, beta=beta, decay=decay)
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
