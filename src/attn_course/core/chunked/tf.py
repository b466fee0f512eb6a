"""Sums over the past, chunk by chunk, in TensorFlow."""

from attn_course.core.chunked.shared import GROUP, choose
from attn_course.core.frameworks import tf
from attn_course.core.precision.tf import wide
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
        log_decay = chunks(log_decay[..., None], C)
        left = decay_between(log_decay[..., 0])
        from_start = tf.cumsum(log_decay, axis=-2)
        score = score * left
        later_key = key * left[..., -1, :, None]
        query = query * tf.exp(from_start)
        log_decay = from_start[..., -1, 0]
    sums = tf.matmul(later_key, value, transpose_a=True)
    added = tf.concat([flatten(sums), tf.reduce_sum(later_key, axis=-2)], axis=-1)
    states, F = before(added, log_decay), tf.shape(key)[-1]
    sums = score @ value + query @ tf.reshape(states[..., :-F], tf.shape(sums))
    total = tf.reduce_sum(score, axis=-1, keepdims=True)
    total += query @ states[..., -F:, None]
    return tuple(join(x)[..., :length, :] for x in (sums, total))


def before(states, log_decay=None):
    """The state before each chunk, from what each chunk adds, as rows (..., N, X)."""
    if log_decay is None:
        return tf.cumsum(states, axis=-2, exclusive=True)
    nothing, N = tf.zeros_like(states[..., :1, :]), states.shape[-2]
    if N is not None and N <= GROUP:
        return faded(states, log_decay, nothing)
    # N x N decays would grow as the square: within groups, and before each group.
    N = tf.shape(states)[-2]
    size = tf.minimum(N, GROUP)
    states = chunks(states, size)
    log_decay = chunks(log_decay[..., None], size)[..., 0]
    whole = (decay_between(log_decay)[..., -1:, :] @ states)[..., 0, :]
    first = faded(whole, tf.reduce_sum(log_decay, axis=-1), nothing)[..., None, :]
    return join(faded(states, log_decay, first))[..., :N, :]


def faded(states, log_decay, first):
    """``before``, with first (..., 1, X) before all of them: by an N x N product."""
    # Chunk n still has of chunk m what the chunks m + 1 .. n - 1 keep.
    nothing = tf.zeros_like(log_decay[..., :1])
    left = decay_between(tf.concat([nothing, log_decay[..., :-1]], axis=-1))
    return left @ tf.concat([first, states[..., :-1, :]], axis=-2)


def before_maps(kept, added):
    """The state before each chunk, where one makes kept @ state + added of a state.

    kept (..., N, K, K), added (..., N, K, V). In sqrt(N) groups of sqrt(N) chunks: one
    loop goes through all groups side by side, from any state, one through the groups.
    """
    N, K = tf.shape(kept)[-3], tf.shape(kept)[-1]
    size = tf.cast(tf.math.ceil(tf.sqrt(tf.cast(N, tf.float32))), tf.int32)
    # Of any state: the columns of the identity, and of zeros, both on their way.
    added = tf.concat([tf.zeros_like(kept), added], axis=-1)
    kept, added = in_groups(kept, size), in_groups(added, size)
    state = tf.eye(K, tf.shape(added)[-1], dtype=added.dtype)
    inside, whole = in_turn(kept, added, state)
    state = tf.zeros_like(whole[..., 0, :, K:])
    first, _ = in_turn(whole[..., :K], whole[..., K:], state)
    found = inside[..., :K] @ first[..., None, :, :] + inside[..., K:]
    return out_of_groups(found, N)


def in_turn(kept, added, state):
    """The states before each chunk, (..., N, K, V), and that after the last."""
    kept, added = to_front(kept), to_front(added)
    state = state + tf.zeros_like(added[0])
    after = tf.scan(lambda state, x: x[0] @ state + x[1], (kept, added), state)
    states = tf.concat([state[None], after[:-1]], axis=0)
    return to_front(states, back=True), after[-1]


def in_groups(states, size):
    """Groups of so many states, filled up with zeros: (..., G, M, F, V)."""
    flat = chunks(flatten(states), size)
    shape = tf.concat([tf.shape(flat)[:-1], tf.shape(states)[-2:]], axis=0)
    return tf.reshape(flat, shape)


def out_of_groups(states, N):
    """The states of ``in_groups`` one behind the other, without what was filled up."""
    shape = tf.concat([tf.shape(states)[:-4], [-1], tf.shape(states)[-2:]], axis=0)
    return tf.reshape(states, shape)[..., :N, :, :]


def flatten(states):
    """Every state as one row: (..., F V)."""
    shape = tf.shape(states)
    rows = tf.concat([shape[:-2], [shape[-2] * shape[-1]]], axis=0)
    return tf.reshape(states, rows)


def to_front(x, back=False):
    """The axis of the chunks, third from the end, first; or back again."""
    axes = list(range(x.shape.rank))
    axes.insert(*((-2, axes.pop(0)) if back else (0, axes.pop(-3))))
    return tf.transpose(x, axes)


def decay_between(log_decay):
    """What is left at t of s, and 0 where s > t: (..., C) to (..., C, C).

    Sums from s on: the difference of two longer sums would lose the digits of a weak
    decay beside a strong one.
    """
    size, nothing = tf.shape(log_decay)[-1], tf.zeros((), log_decay.dtype)
    after = tf.where(tf.transpose(past(size)), log_decay[..., None], nothing)
    after = tf.cumsum(after, axis=-2)
    lowest = tf.constant(-float("inf"), after.dtype)
    return tf.exp(tf.where(past(size), lowest, after))


def past(size):
    """True above the diagonal, (size, size): where s > t."""
    return tf.range(size) > tf.range(size)[:, None]


def at_once(x):
    """Whether all chunks are computed at once: on a GPU, in a graph if one is seen."""
    if x.device:
        return choose("CPU" in x.device)
    return choose(not tf.config.list_physical_devices("GPU"))


def chunks(x, size):
    """Cut positions into chunks, the last filled up with zeros: (..., N, C, X)."""
    x = pad(x, 0, -tf.shape(x)[-2] % size)
    shape = tf.shape(x)
    cut = tf.stack([shape[-2] // size, size, shape[-1]])
    return tf.reshape(x, tf.concat([shape[:-2], cut], axis=0))


def by_turns(x, axis=-1):
    """What stands at 0, 2, 4 ... of an axis, counted from the last, and at 1, 3, 5 ...

    ``x[..., 0::2]`` and ``x[..., 1::2]``, which take TensorFlow twenty times as long.
    """
    shape, size = tf.shape(x), x.shape[axis]
    cut = [-1 if size is None else size // 2, 2]
    cut = tf.concat([shape[:axis], cut, shape[x.shape.rank + axis + 1 :]], axis=0)
    return tf.unstack(tf.reshape(x, cut), 2, axis=axis)


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


def log_of(decay, key):
    """The logarithm of a decay, a number a key or a column; of 0 a very low one."""
    shape = tf.shape(key)[: len(decay.shape)]
    wide = tf.broadcast_to(tf.cast(decay, key.dtype), shape)
    return tf.math.log(tf.maximum(wide, smallest(key.dtype)))


def smallest(dtype):
    """The smallest number above 0 that no processor takes for 0."""
    return tf.constant(2.0**-126 if dtype == tf.float32 else 2.0**-1022, dtype)


def hide(key, log_decay, mask):
    """Blocked keys have no features; what fades is as ``forget`` says."""
    numbers = tf.linalg.matrix_transpose(mask)
    if log_decay is None and numbers.dtype != tf.bool:
        log_decay = tf.zeros_like(key[..., 0])
    if log_decay is not None:
        lowest = tf.math.log(smallest(log_decay.dtype))
        log_decay = forget(log_decay[..., None], numbers, 0.0, lowest)[..., 0]
    return tf.where(tf.cast(numbers, "bool"), key, tf.zeros((), key.dtype)), log_decay


def forget(decay, numbers, nothing, everything):
    """A blocked key lets nothing fade, and the first of a document everything.

    decay (..., S, X); numbers of documents or booleans (..., S, 1).
    """
    nothing, everything = (tf.cast(x, decay.dtype) for x in (nothing, everything))
    decay = tf.where(tf.cast(numbers, "bool"), decay, nothing)
    return tf.where(is_first(numbers), everything, decay)


def is_first(numbers):
    """Whether another document begins, (..., S, 1); of booleans, nowhere."""
    if numbers.dtype == tf.bool:
        return tf.zeros_like(numbers)
    before = tf.concat([numbers[..., :1, :], numbers[..., :-1, :]], axis=-2)
    return (numbers != before) & (numbers != 0)


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
    return [tf.cast(x, wide(x.dtype)) for x in tensors]
