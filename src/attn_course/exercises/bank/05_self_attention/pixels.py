"""Self-attention over the pixels of an image, `look(x, query_weight, key_weight,
value_weight)`: x (T, D), weights (D, K), (D, K), (D, V); output (T, V). All weights of
40 by 40 pixels take 10 MiB in float32: hold 2 MiB at a time, and let at most 3,000
lines of Python run, so not pixel by pixel. Scores may be as large as several hundred.
`softmax(score)` is given.

1. Does a row of weights need another row? What can be thrown away before the next?
2. Take some queries at a time, with all the keys: how many rows of 1,600 numbers of 8
   bytes fit, if the softmax makes three such tables?
3. for start in range(0, T, 32): softmax(query[start : start + 32] @ key.T / np.sqrt(K))
   @ value
"""

title = "look at 1,600 pixels in 2 MiB"
level, minutes = 2, 15
before = "05.self_attention"
usual = "overflow unscaled rootless causal queries"


def cases(rng):
    def draw(T, D, K, V):
        return normals(rng, (T, D), (D, K), (D, K), (D, V))

    def large(x, query_weight, key_weight, *more):
        # The score farthest from 0 becomes 2,000.
        score = (x @ query_weight) @ (x @ key_weight).T / np.sqrt(key_weight.shape[1])
        farthest = score.flat[np.abs(score).argmax()]
        return x, query_weight * 2000 / farthest, key_weight, *more

    return [
        *fixed_cases(rng, draw, 4, large=large),
        Case("1,600 pixels", draw(1600, 3, 4, 2), most=2 * 2**20, lines=3000),
    ]


# %% solution
def look(x, query_weight, key_weight, value_weight):
    ...  # (T, D), (D, K), (D, K), (D, V); return (T, V)
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    found = []
    for start in range(0, len(x), 32):
        score = query[start : start + 32] @ key.T / np.sqrt(key.shape[1])
        found.append(softmax(score) @ value)
    return np.concatenate(found)


# %% mistake: the scores are divided by the root of the input's width; it is K's
score = query[start : start + 32] @ key.T / np.sqrt(x.shape[1])
# %% mistake: each query sees all keys, not those of its own block
score = query[start : start + 32] @ key[start : start + 32].T / np.sqrt(key.shape[1])
found.append(softmax(score) @ value[start : start + 32])
# %% mistake: the last block may be shorter, and is left out
for start in range(0, len(x) - 31, 32):
    ...
# %% mistake: the keys are of the queries' map
query, key, value = x @ query_weight, x @ query_weight, x @ value_weight
# %% mistake: the values are the pixels themselves
query, key, value = x @ query_weight, x @ key_weight, x
# %% mistake: the values are of the keys' map
query, key, value = x @ query_weight, x @ key_weight, x @ key_weight
# %% mistake: it is added to x; that is a residual connection
return x + np.concatenate(found)
