import numpy as np

from attn_course.exercises.engine.exercise import softmax


def _with_any_maximum(score, mask):
    exponential = np.exp(score - score.max(axis=-1, keepdims=True)) * mask
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1, total)


# %% the weights sum to 1 over the queries, not over the keys
highest = score.max(axis=-2, keepdims=True)
total = exponential.sum(axis=-2, keepdims=True)
# %% the mask is read the wrong way round: True means may attend
score = np.where(~mask, score, -np.inf)
# %% the mask is not used
score = score


# %% the mask comes after the softmax, so the rows no longer sum to 1
def instead(s, mask):
    return softmax(s) * mask


# %% a row that may attend to nothing is NaN; it should be zeros
def instead(s, mask):
    return softmax(np.where(mask, s, -np.inf))


# %% a row that may attend to nothing averages all; it should be zeros
def instead(s, mask):
    return softmax(np.where(mask, s, -1e9))


# %% a row that may attend to nothing averages all, and -1e4 is no low score
def instead(s, mask):
    return softmax(np.where(mask, s, -1e4))


# %% -1e4 is no low score: an allowed one may be lower
def instead(s, mask):
    return softmax(np.where(mask, s, -1e4)) * mask.any(-1)[..., None]


# %% -50 is no low score: an allowed one may be lower
def instead(s, mask):
    return softmax(np.where(mask, s, -50)) * mask.any(-1)[..., None]


# %% blocked scores are set to 0, which is a score like any other
def instead(s, mask):
    return softmax(s * mask)


# %% 0 is a score like any other: blocked scores should be -inf
def instead(s, mask):
    return softmax(s * mask) * mask.any(axis=-1, keepdims=True)


# %% exp of a large score overflows: subtract the largest allowed one
exponential = np.exp(score)


# %% a blocked score is the largest, and the allowed ones vanish beside it
def instead(s, mask):
    return _with_any_maximum(s, mask)


# %% the weights are not divided by their sum
return exponential
