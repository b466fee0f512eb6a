import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax


def attention(query, key, value, mask):
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    highest = score.max(axis=1, keepdims=True)
    weights = np.exp(score - np.where(np.isinf(highest), 0.0, highest))
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total) @ value


def _shifted(query, key, value, by):
    T, S = len(query), len(key)
    mask = np.tri(T, S, S - T + by, dtype=bool)
    return attention(query, key, value, mask)


# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(np.where(allowed, score, -np.inf)) @ value
# %% queries and keys are aligned at the start; the last query stands on the last key
allowed = np.tri(T, S, 0, dtype=bool)
# %% a query sees the key after its own position
allowed = np.tri(T, S, S - T + 1, dtype=bool)


# %% a query does not see its own position
def instead(q, k, v):
    return _shifted(q, k, v, -1)


# %% every query sees every key: nothing is causal
return softmax(score) @ value
# %% the sign is wrong: the diagonal moves by S - T, not by T - S
allowed = np.tri(T, S, T - S, dtype=bool)
# %% the mask is inverted
return softmax(np.where(~allowed, score, -np.inf)) @ value
# %% -1e4 is no low score: an allowed one may be lower
return softmax(np.where(allowed, score, -1e4)) @ value
# %% -50 is no low score: an allowed one may be lower
return softmax(np.where(allowed, score, -50)) @ value
# %% blocked scores are set to 0, which is a score like any other
return softmax(np.where(allowed, score, 0.0)) @ value
# %% the diagonal moves by T; it is S - T
allowed = np.tri(T, S, T, dtype=bool)
# %% the mask comes after the softmax, so the rows no longer sum to 1
return (softmax(score) * allowed) @ value
# %% the scale is missing
score = query @ key.T
# %% the keys of the cache are never seen
allowed = np.tri(T, S, S - T, dtype=bool) & (np.arange(S) >= S - T)
# %% the scores are divided by K; it is the root of K
score = query @ key.T / key.shape[1]
# %% the root is that of the value's width
score = query @ key.T / np.sqrt(value.shape[1])
# %% the softmax runs over the queries
return softmax(np.where(allowed, score, -np.inf), axis=0) @ value
# %% the diagonal moves by a constant; it is S - T
allowed = np.tri(T, S, 2, dtype=bool)
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
return afterwards(score, allowed) @ value
