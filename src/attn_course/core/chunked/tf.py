"""Sums over the past, chunk by chunk, in TensorFlow."""

from attn_course.core.frameworks import tf
from attn_course.core.shapes import check_unit


def sum_up(query, key, value, log_decay=None, causal=False, chunk_size=128):
    """The sum over keys of similarity times value, (..., T, V), and of similarity."""
    if not causal:
        sums = tf.matmul(key, value, transpose_a=True)
        total = tf.reduce_sum(key, axis=-2)[..., None]
        return query @ sums, query @ total
    T, S = tf.shape(query)[-2], tf.shape(key)[-2]
    # Query i stands at i + S - T: rows before the first key go, missing ones are zeros.
    query = pad(query, S - T, 0)
    together = causal_sums(query, key, value, log_decay, chunk_size)
    return tuple(pad(x, T - S, 0) for x in together)


def causal_sums(query, key, value, log_decay, chunk_size):
    """``sum_up`` over the keys s <= t, for T = S: per chunk its own, and those before.

    within[t] = sum over s <= t of the chunk of (query[t] . key[s]) value[s]
    before[t] = query[t] . (sum over all earlier chunks of key[s] value[s]^T)
    """
    length = tf.shape(value)[-2]
    C = tf.minimum(chunk_size, tf.maximum(length, 1))
    query, key, value = (chunks(x, C) for x in (query, key, value))
    score, later_key = tf.matmul(query, key, transpose_b=True), key
    if log_decay is None:
        score = tf.where(past(C), tf.zeros((), score.dtype), score)
    else:
        to_end, from_start = decay_in_chunk(chunks(log_decay[..., None], C)[..., 0])
        score = score * decay_between(to_end)
        later_key = key * tf.exp(to_end)[..., None]
        query = query * tf.exp(from_start)[..., None]
        log_decay = from_start[..., -1]
    states = (
        tf.matmul(later_key, value, transpose_a=True),
        tf.reduce_sum(later_key, axis=-2)[..., None],
    )
    sums, total = (before(state, log_decay) for state in states)
    sums = score @ value + query @ sums
    total = tf.reduce_sum(score, axis=-1, keepdims=True) + query @ total
    return tuple(join(x)[..., :length, :] for x in (sums, total))


def before(states, log_decay=None):
    """The state before each chunk, from what each chunk adds, (..., N, F, V)."""
    if log_decay is None:
        return tf.cumsum(states, axis=-3, exclusive=True)
    # Chunk n still has of chunk m what the chunks m + 1 .. n - 1 keep.
    first = tf.zeros_like(log_decay[..., :1])
    to_end, _ = decay_in_chunk(tf.concat([first, log_decay[..., :-1]], axis=-1))
    shifted = tf.concat(
        [tf.zeros_like(states[..., :1, :, :]), states[..., :-1, :, :]], axis=-3
    )
    shape = tf.shape(states)
    flat = tf.reshape(shifted, tf.concat([shape[:-2], [shape[-2] * shape[-1]]], axis=0))
    return tf.reshape(decay_between(to_end) @ flat, shape)


def decay_between(to_end):
    """What is left at t of s, and 0 where s > t: (..., C, C)."""
    between = to_end[..., None, :] - to_end[..., :, None]
    lowest = tf.constant(-float("inf"), between.dtype)
    return tf.exp(tf.where(past(tf.shape(to_end)[-1]), lowest, between))


def past(size):
    """True above the diagonal, (size, size): where s > t."""
    return tf.range(size) > tf.range(size)[:, None]


def chunks(x, size):
    """Cut positions into chunks, the last filled up with zeros: (..., N, C, X)."""
    x = pad(x, 0, -tf.shape(x)[-2] % size)
    shape = tf.shape(x)
    cut = tf.stack([shape[-2] // size, size, shape[-1]])
    return tf.reshape(x, tf.concat([shape[:-2], cut], axis=0))


def join(x):
    """Put chunks (..., N, C, X) one behind the other again."""
    shape = tf.shape(x)
    joined = tf.stack([shape[-3] * shape[-2], shape[-1]])
    return tf.reshape(x, tf.concat([shape[:-3], joined], axis=0))


def pad(x, front, back):
    """So many zeros before and behind the positions; a negative number cuts off."""
    x = x[..., tf.maximum(-front, 0) :, :]
    rows = tf.maximum(tf.stack([front, back]), 0)[None]
    ends = tf.zeros((1, 2), tf.int32)
    lead = tf.zeros((x.shape.rank - 2, 2), tf.int32)
    return tf.pad(x, tf.concat([lead, rows, ends], axis=0))


def decay_in_chunk(log_decay):
    """Logarithms of what is left on the way to the chunk's end, and from its start.

    log_decay (..., C). The first counts the decays after a position, the second those
    up to it. Sums from behind: one early number may be huge, and those after it exact.
    """
    to_end = tf.cumsum(log_decay, axis=-1, exclusive=True, reverse=True)
    return to_end, tf.cumsum(log_decay, axis=-1)


def log_of(decay, key):
    """The logarithm of a decay, one number a key; of 0 a very low one."""
    wide = tf.broadcast_to(tf.cast(decay, key.dtype), tf.shape(key)[:-1])
    tiny = 2.0**-126 if key.dtype == tf.float32 else 2.0**-1022
    return tf.math.log(tf.maximum(wide, tf.constant(tiny, key.dtype)))


def hide(key, log_decay, mask):
    """Blocked keys have no features, and let nothing fade."""
    seen = tf.linalg.matrix_transpose(mask)
    nothing = tf.zeros((), key.dtype)
    if log_decay is not None:
        log_decay = tf.where(seen[..., 0], log_decay, nothing)
    return tf.where(seen, key, nothing), log_decay


def check_gates(**gates):
    """Raise ValueError unless gates are from 0 to 1, where values can be read.

    On a CPU, and outside of graphs: elsewhere nothing is read.
    """
    for name, gate in gates.items():
        if gate is None or not tf.executing_eagerly():
            continue
        gate = tf.convert_to_tensor(gate)
        if "CPU" in gate.device and 0 not in gate.shape:
            low, high = tf.reduce_min(gate), tf.reduce_max(gate)
            check_unit(name, float(low), float(high))


def widen(*tensors):
    """The tensors in float32, or float64 if they have it."""
    return [
        tf.cast(x, tf.float64 if x.dtype == tf.float64 else tf.float32) for x in tensors
    ]
