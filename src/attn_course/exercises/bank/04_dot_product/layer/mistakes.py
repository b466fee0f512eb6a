import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

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
