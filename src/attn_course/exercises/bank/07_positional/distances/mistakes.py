import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% the sign of the distance is wrong: key minus query, j - i
distance = np.arange(T)[:, None] - np.arange(T)
# %% the distances are not clipped: far ones take a wrong row
rows = (distance + k) % len(table)
# %% distance 0 takes row 0; it is row k, in the middle
rows = np.clip(distance, -k, k)
# %% it is transposed: a row for every query
return np.einsum("tk,tsk->st", query, table[rows])
# %% the table's rows are multiplied with the key's place, not the query's
return np.einsum("sk,tsk->ts", query, table[rows])
# %% it is divided by the root of K; here it is not
return np.einsum("tk,tsk->ts", query / np.sqrt(query.shape[1]), table[rows])
# %% the distances are absolute; left and right differ
distance = np.abs(np.arange(T) - np.arange(T)[:, None])
# %% they are clipped at k - 1; the last row is for k
rows = np.clip(distance, -k, max(k - 1, 0)) + k
# %% far words get no bias; they take the row at the end
return (np.abs(distance) <= k) * np.einsum("tk,tsk->ts", query, table[rows])
# %% distances are capped on one side alone
rows = np.maximum(np.minimum(distance, k) + k, -len(table)) % len(table)
# %% a softmax was taken; this is a part of the score
return softmax(np.einsum("tk,tsk->ts", query, table[rows]))
# %% distances are capped on the right alone
rows = np.minimum(distance, k) + k
# %% they are clipped at k - 1 on both sides
rows = np.clip(distance, 1 - k, k - 1) + k
# %% these are the rows; their product with the query was asked for
return table[rows]
# %% far distances begin again; they take the row at the end
rows = distance % (k + 1) + k
