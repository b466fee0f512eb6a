"""Write causal linear attention as a recurrent network, `recurrent(query, key, value)`:
query and key (T, K), value (T, V), features elu(x) + 1, that is x + 1 above zero and
exp(x) below; output (T, V). No matrix of all pairs: with 2,048 positions, 3 MB may be
held at a time.

1. Two sums go from token to token: of key times value, and of keys.
2. state (K, V) grows by np.outer(features of key, value); total (K) by the features of
   the key; then the query reads both.
3. output[t] = q @ state / (q @ total), with q the features of the query, after the own
   key was added.
"""

title = "linear attention as a recurrent network"
level, minutes = 1, 15
before = "04.attention"


def cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        return query, key, rng.normal(size=(T, V))

    def large(query, key, value):
        # One feature of each query is large: elsewhere elu(x) + 1 rounds to 0.
        query = 30 * query
        query[:, 0] = np.abs(query[:, 0]) + 1
        return query, key, value

    return [
        *fixed_cases(rng, draw, 3, long=(0,), large=large),
        Case("2,048 positions", draw(2048, 4, 4), most=3 * 2**20),
    ]


# %% solution
def recurrent(query, key, value):
    ...  # (T, K), (T, K), (T, V); return (T, V)

    def above_zero(x):
        return np.maximum(x, 0) + np.exp(np.minimum(x, 0))

    state = np.zeros((key.shape[1], value.shape[1]))
    total, output = np.zeros(key.shape[1]), np.zeros(value.shape)
    for t in range(len(key)):
        q, k = above_zero(query[t]), above_zero(key[t])
        state = state + np.outer(k, value[t])
        total = total + k
        output[t] = q @ state / (q @ total)
    return output


# %% mistake: the normalizer is missing: divide by the query times the sum of keys
output[t] = q @ state
# %% mistake: the output is read before the own key is written
output[t] = q @ (state - np.outer(k, value[t])) / max(q @ (total - k), 1e-9)
# %% mistake: the features are missing: elu(x) + 1 of query and key
return np.maximum(x, 0) + np.minimum(x, 0)
# %% mistake: the 1 of elu(x) + 1 is missing
return np.maximum(x, 0) + np.exp(np.minimum(x, 0)) - 1
# %% mistake: these are the features of softmax, exp(x); elu(x) + 1 is x + 1 above 0
return np.exp(np.maximum(x, 0) + np.minimum(x, 0))
# %% mistake: relu has zeros; elu(x) + 1 is exp(x) below 0
return np.maximum(x, 0) + (x > 0)
# %% mistake: the state forgets what was before
state = np.outer(k, value[t])
# %% mistake: the normalizer is that of the last key alone
total = k
# %% mistake: it divides by the number of keys, not by their similarity
output[t] = q @ state / (t + 1)
# %% mistake: the query has no features
q, k = query[t], above_zero(key[t])
# %% mistake: the query is the key
q, k = above_zero(key[t]), above_zero(key[t])
# %% mistake: the outer product is transposed
state = state + np.outer(value[t], k)
# %% mistake: it divides by the root of the width, not by the sum
output[t] = q @ state / np.sqrt(key.shape[1])
# %% mistake: elu(x) + 1 is x + 1 above zero, not x
return np.where(x > 0, x, np.exp(np.minimum(x, 0)))
# %% mistake: elu(x) + 1 is exp(x) below zero, not exp(x) + 1
return np.maximum(x, 0) + np.exp(np.minimum(x, 0)) + (x <= 0)


# %% mistake: that is softmax attention
def instead(query, key, value):
    return softmax(np.where(np.tri(len(query)) > 0, query @ key.T, -np.inf)) @ value


# %% mistake: it is not causal: every query reads the sum over all keys
def instead(query, key, value):
    query, key = (np.maximum(x, 0) + np.exp(np.minimum(x, 0)) for x in (query, key))
    return query @ (key.T @ value) / (query @ key.sum(axis=0))[:, None]
