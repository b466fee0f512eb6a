import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax

# %% the window has one key too many: its own position counts
seen = (back >= 0) & (back <= sizes[1])
# %% the future is seen
seen = back < sizes[1]
# %% there is no window
seen = back >= 0
# %% the scale is missing
score = query @ key.swapaxes(1, 2)
# %% blocked scores are 0, which is a score like others
return softmax(np.where(seen, score, 0.0)) @ value
# %% the window looks ahead
seen = (back <= 0) & (back > -sizes[1])
# %% the scale is the root of the width, not the width
score = query @ key.swapaxes(1, 2) / x.shape[2]
# %% the window has one key too few: it counts its own position
seen = (back >= 0) & (back < sizes[1] - 1) | (back == 0)
# %% the window looks to both sides; it is causal
seen = np.abs(back) < sizes[1]
# %% the mask is inverted: True may attend
return softmax(np.where(seen, -np.inf, score)) @ value
# %% x itself is averaged, not its values
return softmax(np.where(seen, score, -np.inf)) @ x
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
return afterwards(score, seen) @ value
# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(np.where(seen, score, -np.inf)) @ value
