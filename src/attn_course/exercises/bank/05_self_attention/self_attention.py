"""Find the bugs; there are two, and no shape tells. Self-attention for one sequence: x
(T, D), weights (D, K), (D, K), (D, V); output (T, V), without a mask. `softmax(score)`
is given, over the last axis unless you say another.

1. Which width is the scale about, and what should sum to 1?
2. query = x @ query_weight, and so on; the scale has the width of the keys.
3. softmax(query @ key.T / np.sqrt(key.shape[1])) @ value
"""

title = "find the bugs in self-attention"
level, minutes = 1, 10
kind = "bug"
before = "00.weights"
usual = "overflow rootless"


def cases(rng):
    def draw(T, D, K, V):
        return normals(rng, (T, D), (D, K), (D, K), (D, V))

    def large(x, query_weight, key_weight, value_weight):
        return 60 * x, query_weight, key_weight, value_weight / 60

    return fixed_cases(rng, draw, 4, long=(0,), large=large)


# %% solution
def self_attention(x, query_weight, key_weight, value_weight):
    ...  # (T, D), (D, K), (D, K), (D, V); return (T, V)
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    return softmax(score) @ value


# %% starter
score = query @ key.T / np.sqrt(x.shape[1])
return softmax(score, axis=0) @ value
# %% mistake: the scale is missing: divide the scores by the root of K
score = query @ key.T
# %% mistake: the scores are divided by the root of D; it is the root of K
score = query @ key.T / np.sqrt(x.shape[1])
# %% mistake: the scores are divided by the root of V; it is the root of K
score = query @ key.T / np.sqrt(value.shape[1])
# %% mistake: the scores are divided by the root of T; it is the root of K
score = query @ key.T / np.sqrt(x.shape[0])
# %% mistake: queries and keys are exchanged
score = key @ query.T / np.sqrt(key.shape[1])
# %% mistake: the softmax runs over the queries; every query has its own
return softmax(score, axis=0) @ value
# %% mistake: the average runs over the queries: the weights are transposed
return softmax(score).T @ value
# %% mistake: the words themselves are averaged; it should be their values
return softmax(score) @ x
# %% mistake: there is no softmax: the scores themselves are the weights
return score @ value
# %% mistake: the words themselves ask: query_weight is not used
query, key, value = x @ key_weight, x @ key_weight, x @ value_weight
# %% mistake: the keys are averaged, not the values
return softmax(score) @ key
# %% mistake: it is added to x; that is a residual connection, which comes later
return x + softmax(score) @ value
# %% mistake: it is causal; here every word sees every word
return softmax(np.where(np.tri(len(x), dtype=bool), score, -np.inf)) @ value
# %% mistake: the query is x itself, and query_weight unused
query, key, value = x, x @ key_weight, x @ value_weight
