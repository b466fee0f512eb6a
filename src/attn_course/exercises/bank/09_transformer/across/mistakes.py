import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% the residual connection is missing: x is added at the end
return softmax(score) @ (memory @ value_weight)
# %% the scale is missing
score = query @ np.swapaxes(key, 1, 2)
# %% the scale is the root of the width, not the width
score = query @ np.swapaxes(key, 1, 2) / query.shape[2]
# %% the softmax runs over the queries
return x + softmax(score, axis=1) @ (memory @ value_weight)
# %% the values are of the memory without their map
return x + softmax(score) @ memory
# %% the keys go without their map
query, key = x @ query_weight, memory
# %% the queries go without their map
query, key = x, memory @ key_weight
# %% the keys are of what is written; they should be of the memory
query, key = x @ query_weight, x @ key_weight
# %% the residual connection is the query; it should be x
return query + softmax(score) @ (memory @ value_weight)
# %% the residual connection halves the sum
return (x + softmax(score) @ (memory @ value_weight)) / 2
# %% the maps of queries and keys are exchanged
query, key = x @ key_weight, memory @ query_weight
# %% exp of a large score overflows: subtract each row's largest one first
return x + unsafe_softmax(score) @ (memory @ value_weight)
