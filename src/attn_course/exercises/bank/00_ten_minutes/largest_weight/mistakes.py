import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(score).max()
# %% this is the weight of the key with the gap; below 0 it is not the largest
return softmax(score)[0, 0]
# %% this is the smallest weight
return softmax(score).min()
# %% there is one key too many
score = np.zeros((1, count + 1))
# %% every key has the gap, so all weights are equal
score[0] = gap
# %% this is the largest score; the softmax is missing
return score.max()
# %% it returns all weights, not the largest
return softmax(score)[0]
# %% the sign of the gap is lost
score[0, 0] = abs(gap)
# %% the weight is compared with one other key, not with count - 1 of them
score = np.zeros((1, min(count, 2)))
# %% the others' scores are 0, not 1
score = np.ones((1, count))
# %% the gap is a constant; it is handed over
score[0, 0] = 5
# %% the number of keys is a constant; it is handed over
score = np.zeros((1, 100))
