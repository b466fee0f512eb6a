import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax

# %% the mask is not used
return softmax(score) @ memory
# %% the mask is inverted: True is a token
return softmax(np.where(~mask[:, None], score, -np.inf)) @ memory
# %% the score is divided by a root; Luong's is not
score = query @ weight @ memory.swapaxes(1, 2) / np.sqrt(memory.shape[2])
# %% the weight is not used
score = query @ memory.swapaxes(1, 2)
# %% the weight is transposed
score = query @ weight.T @ memory.swapaxes(1, 2)
# %% blocked scores are set to 0, which is a score like any other
return softmax(np.where(mask[:, None], score, 0.0)) @ memory
# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(np.where(mask[:, None], score, -np.inf)) @ memory
# %% every allowed position has the same weight
return softmax(np.where(mask[:, None], 0 * score, -np.inf)) @ memory
# %% the mask comes after the softmax, so the rows no longer sum to 1
return (softmax(score) * mask[:, None]) @ memory
# %% the average runs over what the weight made of the memory
return softmax(np.where(mask[:, None], score, -np.inf)) @ (memory @ weight.T)
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
return afterwards(score, mask[:, None]) @ memory
