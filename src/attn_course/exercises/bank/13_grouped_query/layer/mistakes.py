import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% the heads are interleaved over the groups
query = (x @ query_weight).reshape(B, T, H // G, G, -1).swapaxes(2, 3)
return context.swapaxes(2, 3).reshape(B, T, D) @ output_weight
# %% the scale is the root of a head's own width, D / H
score = np.einsum("btghk,bsgk->bghts", query, key) / np.sqrt(D)
# %% the scale is missing
score = np.einsum("btghk,bsgk->bghts", query, key)
# %% the output matrix is missing
return context.reshape(B, T, D)
# %% the softmax runs over the queries
context = np.einsum("bghts,bsgk->btghk", softmax(score, axis=-2), value)
# %% the values are of the keys' map
value = (x @ key_weight).reshape(B, T, G, -1)
# %% every head has the first group's keys and values
key = (x @ key_weight).reshape(B, T, G, -1)[:, :, [0] * G]
value = (x @ value_weight).reshape(B, T, G, -1)[:, :, [0] * G]
# %% every head has the first group's values
value = (x @ value_weight).reshape(B, T, G, -1)[:, :, [0] * G]
# %% keys and values are blocks of columns, one block per head
key = (x @ key_weight).reshape(B, T, -1, G).swapaxes(2, 3)
value = (x @ value_weight).reshape(B, T, -1, G).swapaxes(2, 3)
# %% the output matrix is transposed
return context.reshape(B, T, D) @ output_weight.T
# %% it is added to x; that is a residual connection
return x + context.reshape(B, T, D) @ output_weight
# %% it is causal; here every position sees all
score = np.einsum("btghk,bsgk->bghts", query, key) / np.sqrt(D // H)
context = np.einsum(
    "bghts,bsgk->btghk", softmax(np.where(np.tri(T, dtype=bool), score, -np.inf)), value
)
# %% exp of a large score overflows: subtract each row's largest one first
context = np.einsum("bghts,bsgk->btghk", unsafe_softmax(score), value)
