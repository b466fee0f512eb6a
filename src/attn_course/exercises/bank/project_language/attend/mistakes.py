import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% the scale is missing: divide the scores by the root of K
score = query @ key.swapaxes(2, 3)
# %% the scores are divided by K; it is the root of K
score = query @ key.swapaxes(2, 3) / K
# %% the scores are divided by the root of S, the number of keys; it is K
score = query @ key.swapaxes(2, 3) / np.sqrt(S)
# %% no key is blocked: a query sees none that comes after it
weights = softmax(score)
# %% the mask begins at the first key: the last query stands at the last one
seen = np.tri(T, S, dtype=bool)
# %% a query doesn't see itself: it sees the keys up to its own
seen = np.tri(T, S, S - T - 1, dtype=bool) | (np.arange(S) == 0)
# %% a query sees one key too many: its own is the last
seen = np.tri(T, S, S - T + 1, dtype=bool)
# %% the mask is inverted: a query sees what came before it
seen = ~np.tri(T, S, S - T - 1, dtype=bool)
# %% the mask comes after the softmax: the rest no longer sums to 1
weights = softmax(score) * seen
# %% blocked scores are set to 0, which is a score like any other
weights = softmax(np.where(seen, score, 0))
# %% -1e4 is no low score: an allowed one may be lower
weights = softmax(np.where(seen, score, -1e4))
# %% -50 is no low score: an allowed one may be lower
weights = softmax(np.where(seen, score, -50))
# %% exp of a large score overflows: subtract each row's largest one first
weights = unsafe_softmax(np.where(seen, score, -np.inf))
# %% the softmax runs over the queries; every query has its own
weights = softmax(np.where(seen, score, -np.inf), axis=2)
# %% the weights are scores still: the softmax is missing
weights = np.where(seen, score, 0)
# %% the weights are returned first; the output is
return weights, weights @ value
# %% it returns the output alone; the weights too
return weights @ value
# %% a score is filled that is lower than none: subtracting 1 blocks nothing
weights = softmax(score - 1 + seen)
