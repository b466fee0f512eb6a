import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(np.where(mask, score, low)) * mask
# %% the mask is not used
return softmax(score)
# %% the mask comes after the softmax alone: rows no longer sum to 1
return softmax(score) * mask
# %% the mask is inverted: True may attend
return softmax(np.where(mask, low, score)) * ~mask
# %% a row that may attend to nothing averages all; it should be zeros
return softmax(np.where(mask, score, low))
# %% blocked scores are set to 0, which is a score like any other
return softmax(score * mask) * mask
# %% -1e4 is no low score: an allowed one may be lower
return softmax(np.where(mask, score, -1e4)) * mask
# %% -50 is no low score: an allowed one may be lower
return softmax(np.where(mask, score, -50)) * mask
# %% the softmax runs over the batch, not over the positions
return softmax(np.where(mask, score, low), axis=0) * mask
# %% a row that may attend to nothing is NaN; it should be zeros
return softmax(np.where(mask, score, -np.inf))
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
return afterwards(score, mask)
