import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% the scale is missing: divide the scores by the root of K
score = query @ key.swapaxes(2, 3)
# %% the scores are divided by the root of D; it is K, the width of one head
score = query @ key.swapaxes(2, 3) / np.sqrt(D)
# %% no key is blocked: a position sees none that comes after it
weights = softmax(score)
# %% the mask is inverted: a position sees what came before it
weights = softmax(np.where(np.tri(T, dtype=bool).T, score, -np.inf))
# %% blocked scores are set to 0, which is a score like any other
weights = softmax(np.where(np.tri(T, dtype=bool), score, 0))
# %% the output's map is missing
return context, weights
# %% the heads are merged without exchanging the axes back
context = (weights @ value).reshape(x.shape)
# %% the queries are split without exchanging the axes
query = (x @ p["query"]).reshape(B, num_heads, T, -1)
# %% the keys' map stands in place of the queries'
query = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
# %% the queries' map stands in place of the keys'
key = (x @ p["query"]).reshape(parts).swapaxes(1, 2)
# %% the values have no map
value = x.reshape(parts).swapaxes(1, 2)
# %% the keys' map stands in place of the values'
value = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
# %% the maps are transposed: x stands to the left
query = (x @ p["query"].T).reshape(parts).swapaxes(1, 2)
# %% it returns the output alone; the weights too
return context @ p["output"]
# %% the weights are a mean over the heads; each head's are asked for
return context @ p["output"], weights.mean(axis=1)
