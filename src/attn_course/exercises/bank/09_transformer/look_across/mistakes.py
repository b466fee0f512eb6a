import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(score) @ (memory @ value_weight)
# %% the source asks and what is written answers; it is the other way around
query, key = memory @ query_weight, x @ key_weight
return softmax(score) @ (x @ value_weight)
# %% the keys are of what is written; they should be of the memory
query, key = x @ query_weight, x @ key_weight
return softmax(score) @ (x @ value_weight)
# %% the queries are of the memory; they should be of what is written
query, key = memory @ query_weight, memory @ key_weight
# %% the scale is missing
score = query @ key.T
# %% the scale is the root of the width, not the width
score = query @ key.T / key.shape[1]
# %% the scale is the root of the keys' width, not of the model's
score = query @ key.T / np.sqrt(x.shape[1])
# %% the softmax runs over the queries
return softmax(score, axis=0) @ (memory @ value_weight)
# %% x is added; that is the way around, which comes later
return x + softmax(score) @ (memory @ value_weight)
# %% the memory itself is averaged, not its values
return softmax(score) @ memory
# %% the values are of what is written; they should be of the memory
return softmax(score) @ (x @ value_weight)
# %% the scores are not turned into weights
return score @ (memory @ value_weight)
# %% it is causal; a decoder sees all of the source
return softmax(np.where(np.tri(*score.shape) > 0, score, -np.inf)) @ (
    memory @ value_weight
)
# %% queries and keys are exchanged in the product
score = key @ query.T / np.sqrt(key.shape[1])
# %% query_weight and key_weight are exchanged
query, key = x @ key_weight, memory @ query_weight
# %% the root is that of the value's width
score = query @ key.T / np.sqrt(value_weight.shape[1])
