import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax


def _with_any_maximum(score, center, half_width):
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    weights = np.exp(score - score.max(axis=1, keepdims=True)) * inside
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))


# %% sigma is the half width; it should be half of it
return weights * np.exp(-(distance**2) / (2 * half_width**2))
# %% the Gaussian is missing: these are the weights before it
return weights


# %% they are normalized again after the Gaussian; the paper's are not
def instead(s, c, w):
    return (found := local_weights(s, c, w)) / found.sum(axis=1, keepdims=True)


# %% there is no window: the softmax runs over the whole sentence
weights = softmax(score)
# %% the softmax runs over the whole sentence, the window is cut after it
weights = softmax(score) * inside
# %% a position at exactly half_width is left out; the edge counts
inside = np.abs(distance) < half_width
# %% the exponent has no 2: it is d^2 / (2 sigma^2)
return weights * np.exp(-(distance**2) / (1 * (half_width / 2) ** 2))


# %% the largest score is taken outside the window too; inside all vanish
def instead(s, c, w):
    return _with_any_maximum(s, c, w)


# %% exp of a large score overflows: subtract the window's largest one first
weights = unsafe_softmax(np.where(inside, score, -np.inf))
# %% the center is rounded; the paper's is real
distance = np.arange(score.shape[1]) - np.round(center)[:, None]
# %% -1e4 is no low score: an allowed one may be lower
weights = softmax(np.where(inside, score, -1e4))
# %% scores outside are set to 0, which is a score like any other
weights = softmax(np.where(inside, score, 0.0))
# %% the distance is not squared
return weights * np.exp(-(np.abs(distance)) / (2 * (half_width / 2) ** 2))
# %% only positions before the center are seen
inside = np.abs(distance + half_width / 2) * 2 <= half_width
# %% the center is cut to a whole number; the paper's is real
distance = np.arange(score.shape[1]) - center[:, None].astype(int)
# %% positions count from 0
distance = np.arange(1, score.shape[1] + 1) - center[:, None]
# %% every query gets the first one's center
distance = np.arange(score.shape[1]) - center[0]
# %% the exponent is 2 d^2 / D^2, not d^2 / D^2
return weights * np.exp(-(distance**2) / half_width**2)
# %% the window has no left edge: take the distance's absolute value
inside = distance <= half_width
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
weights = afterwards(score, inside)
