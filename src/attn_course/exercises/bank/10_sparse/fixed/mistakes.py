import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
output[start:stop] = unsafe_softmax(score) @ value[:stop]
# %% the future leaks inside a block: the own block needs a causal mask
score = np.where(seen, score, -np.inf)
# %% the last block is dropped when it is cut
for start in range(0, n - stride + 1, stride):
    ...
# %% the summary is the last of a block, not the first
seen = (j >= start) | (j % stride < summary)
# %% there are no summaries
seen = j >= start
# %% the own block is missing
seen = (j % stride >= stride - summary) | (j == i)
# %% the scale is missing
score = query[start:stop] @ key[:stop].T
# %% a position does not see itself
score = np.where(seen & ((j < i) | (j == start)), score, -np.inf)
# %% the summary has one position too few
seen = (j >= start) | (j % stride > stride - summary)
# %% the summary is one position; it is handed over
seen = (j >= start) | (j % stride >= stride - 1)
# %% the root is that of the value's width
score = query[start:stop] @ key[:stop].T / np.sqrt(value.shape[1])
# %% -50 is no low score: an allowed one may be lower
score = np.where(seen & (j <= i), score, -50)
# %% the softmax runs over the queries
output[start:stop] = softmax(score, axis=0) @ value[:stop]
# %% own block and summaries are joined by or
seen = (j >= start) & (j % stride >= stride - summary)
# %% blocked scores are 0, which is a score like others
score = np.where(seen & (j <= i), score, 0)
# %% a window stands in place of the own block
seen = (i - j < stride) | (j % stride >= stride - summary)
# %% the summaries are those of the query's place, not of the key's
seen = (j >= start) | (i % stride >= stride - summary)
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
score = np.where(True, score, -np.inf)
output[start:stop] = afterwards(score, seen & (j <= i)) @ value[:stop]
