import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% it is the mean of the weighted annotations; their sum is the average
return (weights[:, :, None] * memory).mean(axis=1)
# %% it sums over the width, not over the positions
return (weights[:, :, None] * memory).sum(axis=2)
# %% the weights are not used: every position counts the same
return memory.mean(axis=1)
# %% the weights are not used: the annotations are added
return memory.sum(axis=1)
# %% it takes the best position's annotation alone
return memory[np.arange(len(memory)), weights.argmax(axis=1)]
# %% the weights pass a softmax again
return (softmax(weights)[:, None] @ memory)[:, 0]
# %% an axis of size 1 is left over: the output is (B, E)
return weights[:, None] @ memory
# %% every sentence gets the first one's weights
return (weights[:1, None] @ memory)[:, 0]
# %% every sentence gets the first one's annotations
return (weights[:, None] @ memory[:1])[:, 0]
