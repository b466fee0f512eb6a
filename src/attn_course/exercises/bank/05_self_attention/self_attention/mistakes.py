import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(score) @ value
# %% the scale is missing: divide the scores by the root of K
score = query @ key.T
# %% the scores are divided by K; it is the root of K
score = query @ key.T / key.shape[1]
# %% the scores are divided by the root of D; it is the root of K
score = query @ key.T / np.sqrt(x.shape[1])
# %% the scores are divided by the root of V; it is the root of K
score = query @ key.T / np.sqrt(value.shape[1])
# %% the scores are divided by the root of T; it is the root of K
score = query @ key.T / np.sqrt(x.shape[0])
# %% queries and keys are exchanged
score = key @ query.T / np.sqrt(key.shape[1])
# %% the softmax runs over the queries; every query has its own
return softmax(score, axis=0) @ value
# %% the average runs over the queries: the weights are transposed
return softmax(score).T @ value
# %% the words themselves are averaged; it should be their values
return softmax(score) @ x
# %% there is no softmax: the scores themselves are the weights
return score @ value
# %% the words themselves ask: query_weight is not used
query, key, value = x @ key_weight, x @ key_weight, x @ value_weight
# %% the keys are averaged, not the values
return softmax(score) @ key
# %% it is added to x; that is a residual connection, which comes later
return x + softmax(score) @ value
# %% it is causal; here every word sees every word
return softmax(np.where(np.tri(len(x), dtype=bool), score, -np.inf)) @ value
# %% the query is x itself, and query_weight unused
query, key, value = x, x @ key_weight, x @ value_weight
