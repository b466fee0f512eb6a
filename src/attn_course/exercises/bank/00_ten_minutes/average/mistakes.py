import numpy as np

from attn_course.exercises.engine.exercise import softmax


def weights(score):
    exponential = np.exp(score - score.max(axis=1, keepdims=True))
    return exponential / exponential.sum(axis=1, keepdims=True)


# %% it is the mean of the weighted values; their sum is the average
return (weights[:, :, None] * value).mean(axis=1)
# %% the weights are transposed
return weights.T @ value


# %% it takes the best key's value alone
def instead(w, v):
    return v[w.argmax(axis=1)]


# %% it sums over the width, not over the keys
return (weights[:, :, None] * value).sum(axis=2)
# %% it sums over the queries, not over the keys
return (weights[:, :, None] * value).sum(axis=0)


# %% the weights are not used: every value counts the same
def instead(w, v):
    return np.repeat(v.mean(axis=0, keepdims=True), len(w), axis=0)


# %% the weights are not used: the values are added
def instead(w, v):
    return np.repeat(v.sum(axis=0, keepdims=True), len(w), axis=0)


# %% the weights are normalized again; a row of zeros becomes 0 / 0
return weights / weights.sum(axis=1, keepdims=True) @ value
# %% the output is transposed
return (weights @ value).T
# %% the weights pass a softmax again
return softmax(weights) @ value


# %% every query gets the first one's weights
def instead(weights, value):
    return np.repeat([weights[0] @ value], len(weights), 0)
