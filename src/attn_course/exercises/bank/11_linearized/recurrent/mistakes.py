import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% the normalizer is missing: divide by the query times the sum of keys
output[t] = q @ state


# %% the output is read before the own key is written
def recurrent(query, key, value):
    def above_zero(x):
        return np.maximum(x, 0) + np.exp(np.minimum(x, 0))

    state = np.zeros((key.shape[1], value.shape[1]))
    total, output = np.zeros(key.shape[1]), np.zeros(value.shape)
    for t in range(len(key)):
        q, k = above_zero(query[t]), above_zero(key[t])
        output[t] = q @ state / max(q @ total, 1e-9)
        state = state + np.outer(k, value[t])
        total = total + k
    return output


# %% the features are missing: elu(x) + 1 of query and key
def recurrent(query, key, value):
    def above_zero(x):
        return x

    state = np.zeros((key.shape[1], value.shape[1]))
    total, output = np.zeros(key.shape[1]), np.zeros(value.shape)
    for t in range(len(key)):
        q, k = above_zero(query[t]), above_zero(key[t])
        state = state + np.outer(k, value[t])
        total = total + k
        output[t] = q @ state / (q @ total)
    return output


# %% the 1 of elu(x) + 1 is missing
return np.maximum(x, 0) + np.exp(np.minimum(x, 0)) - 1


# %% these are the features of softmax, exp(x); elu(x) + 1 is x + 1 above 0
def recurrent(query, key, value):
    def above_zero(x):
        return np.exp(x)

    state = np.zeros((key.shape[1], value.shape[1]))
    total, output = np.zeros(key.shape[1]), np.zeros(value.shape)
    for t in range(len(key)):
        q, k = above_zero(query[t]), above_zero(key[t])
        state = state + np.outer(k, value[t])
        total = total + k
        output[t] = q @ state / (q @ total)
    return output


# %% relu has zeros; elu(x) + 1 is exp(x) below 0
return np.maximum(x, 0) + (x > 0)
# %% the state forgets what was before
state = np.outer(k, value[t])
# %% the normalizer is that of the last key alone
total = k
# %% it divides by the number of keys, not by their similarity
output[t] = q @ state / (t + 1)
# %% the query has no features
q, k = query[t], above_zero(key[t])
# %% the query is the key
q, k = above_zero(key[t]), above_zero(key[t])
# %% the outer product is transposed
state = state + np.outer(value[t], k)
# %% it divides by the root of the width, not by the sum
output[t] = q @ state / np.sqrt(key.shape[1])
# %% elu(x) + 1 is x + 1 above zero, not x
return np.where(x > 0, x, np.exp(np.minimum(x, 0)))
# %% elu(x) + 1 is exp(x) below zero, not exp(x) + 1
return np.maximum(x, 0) + np.exp(np.minimum(x, 0)) + (x <= 0)


# %% that is softmax attention
def instead(query, key, value):
    return softmax(np.where(np.tri(len(query)) > 0, query @ key.T, -np.inf)) @ value
