import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax


def _filled(query, key, value, mask, fill):
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), fill)
    return softmax(score) * mask.any(axis=1)[:, None] @ value


# %% the scale is missing: divide the scores by the root of K
score = np.where(mask, query @ key.T, -np.inf)
# %% the scores are divided by K; it is the root of K
score = np.where(mask, query @ key.T / key.shape[1], -np.inf)
# %% the scores are divided by the square of K; it is the root
score = np.where(mask, query @ key.T / key.shape[1] ** 2, -np.inf)
# %% the scores are divided by the root of S, the number of keys; it is K
score = np.where(mask, query @ key.T / np.sqrt(key.shape[0]), -np.inf)
# %% the scores are divided by the root of T, the number of queries; it is K
score = np.where(mask, query @ key.T / np.sqrt(query.shape[0]), -np.inf)
# %% the scores are divided by the root of V; it is the root of K
score = np.where(mask, query @ key.T / np.sqrt(value.shape[1]), -np.inf)
# %% the softmax runs over the queries; every query has its own
highest = score.max(axis=0, keepdims=True)
total = weights.sum(axis=0, keepdims=True)
# %% the average runs over the queries: the weights are transposed
return (weights / np.where(total == 0, 1.0, total)).T @ value
# %% the mask is inverted; True may attend
score = np.where(~mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)


# %% the mask comes after the softmax; the rest no longer sums to 1
def instead(q, k, v, mask):
    return softmax(q @ k.T / np.sqrt(k.shape[1])) * mask @ v


# %% the mask is ignored
def instead(q, k, v, mask):
    return attention(q, k, v, np.ones_like(mask))


# %% a query that may see nothing gets NaN; it should get 0
return weights / total @ value
# %% a query that may see nothing gets the mean of all; it should get 0
score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -1e9)
# %% -1e4 is no low score, and a query that may see nothing should get 0
score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -1e4)
# %% blocked scores are set to 0, which is a score like any other
score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), 0.0)
# %% exp of a large score overflows: subtract each row's largest one first
weights = np.exp(score)
# %% the weights are not divided by their sum
return weights @ value


# %% -1e4 is no low score: an allowed one may be lower
def instead(q, k, v, mask):
    return _filled(q, k, v, mask, -1e4)


# %% -50 is no low score: an allowed one may be lower
def instead(q, k, v, mask):
    return _filled(q, k, v, mask, -50)


# %% 0 is a score like any other: blocked scores should be -inf
def instead(q, k, v, mask):
    return _filled(q, k, v, mask, 0)


# %% the keys are averaged, not the values
return weights / np.where(total == 0, 1.0, total) @ key
# %% the largest score of all is subtracted: rows far below it become 0
highest = score.max()


# %% True adds 1 to a score; it should block where it is False
def instead(query, key, value, mask):
    return softmax(query @ key.T / np.sqrt(key.shape[1]) + mask) @ value


# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
def instead(query, key, value, mask):
    return afterwards(query @ key.T / np.sqrt(key.shape[1]), mask) @ value
