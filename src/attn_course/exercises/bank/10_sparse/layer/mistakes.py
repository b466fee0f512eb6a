import numpy as np

from attn_course.exercises.engine.exercise import softmax

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
