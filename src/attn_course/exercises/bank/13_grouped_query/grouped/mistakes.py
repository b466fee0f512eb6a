import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
weights = unsafe_softmax(np.where(allowed, score, -np.inf))


# %% the heads are interleaved over the groups; head h uses h // (H / G)
def instead(q, k, v):
    return grouped(q, *(np.tile(x, (len(q) // len(x), 1, 1)) for x in (k, v)))


# %% the mask starts at the first key; query i stands at i + S - T
allowed = np.tri(T, S, dtype=bool)
# %% a query doesn't see its own position
allowed = np.tri(T, S, S - T - 1, dtype=bool)
# %% a query sees one position of the future
allowed = np.tri(T, S, S - T + 1, dtype=bool)
# %% there is no mask: queries see the future
weights = softmax(score)
# %% the scale is missing
score = rows @ key[:, None].swapaxes(2, 3)
# %% the softmax runs over the queries
weights = softmax(np.where(allowed, score, -np.inf), axis=2)
# %% the scale is the root of the width, not the width
score = rows @ key[:, None].swapaxes(2, 3) / K
# %% the mask stands after the softmax: rows no longer sum to 1
weights = softmax(score) * allowed
# %% blocked scores are 0, which is a score like others
weights = softmax(np.where(allowed, score, 0))
# %% -50 is no low score: an allowed one may be lower
weights = softmax(np.where(allowed, score, -50))
# %% the root is that of the value's width
score = rows @ key[:, None].swapaxes(2, 3) / np.sqrt(value.shape[2])
# %% the sign is wrong: the diagonal moves by S - T
allowed = np.tri(T, S, T - S, dtype=bool)
# %% the diagonal moves by a constant; it is S - T
allowed = np.tri(T, S, 2, dtype=bool)
# %% all heads use the first key head
score = rows @ key[:1, None].swapaxes(2, 3) / np.sqrt(K)
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
weights = afterwards(score, allowed)
