import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax

# %% the scale is missing
score = memory @ query
# %% the mask is not used
weights = softmax(score)
# %% the mask is inverted: True is a token
weights = softmax(np.where(~mask, score, -np.inf))
# %% blocked scores are set to 0, which is a score like any other
weights = softmax(np.where(mask, score, 0.0))
# %% the softmax runs over the sentences
weights = softmax(np.where(mask, score, -np.inf), axis=0)
# %% every position has the same weight
weights = softmax(np.where(mask, 0.0, -np.inf))
# %% exp of a large score overflows: subtract each row's largest one first
weights = unsafe_softmax(np.where(mask, score, -np.inf))
# %% the scores are divided by K; it is the root of K
score = memory @ query / query.shape[0]
# %% the mask comes after the softmax, so the weights no longer sum to 1
weights = softmax(score) * mask
# %% it is a sum; the weights have to sum to 1
weights = np.where(mask, 1.0, 0.0)
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
weights = afterwards(score, mask)
