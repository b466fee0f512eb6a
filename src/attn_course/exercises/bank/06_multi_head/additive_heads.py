"""Nothing says that a head must use the dot product. Write heads with additive scores,
v tanh(q + k): `additive_heads(query, key, value, score_weight)`, query (H, T, K), key
(H, S, K), value (H, S, V), score_weight (H, K), one v per head; output (H, T, V).
Scores may be of any size. `softmax(score)` is given.

1. One hidden vector per head and pair: (H, T, S, K).
2. Give the query an axis for keys and the key one for queries; weigh with
   score_weight[:, None, None] and sum over K.
3. score = (np.tanh(query[:, :, None] + key[:, None]) * score_weight[:, None,
   None]).sum(axis=-1)
"""

title = "another score in the heads"
level, minutes = 2, 15
before = "broadcasting"
usual = "overflow queries"


def cases(rng):
    def draw(H, T, S, K, V):
        return normals(rng, (H, T, K), (H, S, K), (H, S, V), (H, K))

    def large(query, key, value, score_weight):
        far = 900 * (1 + np.abs(score_weight)) * np.sign(score_weight)
        return query, key, value, far

    def heads(query, key, value, score_weight):
        return draw(len(query) + 1, 5, 3, 2, 7)

    return fixed_cases(rng, draw, 5, equal=3, long=(2,), large=large, heads=heads)


# %% solution
def additive_heads(query, key, value, score_weight):
    ...  # (H, T, K), (H, S, K), (H, S, V), (H, K); return (H, T, V)
    hidden = np.tanh(query[:, :, None] + key[:, None])  # (H, T, S, K)
    score = (hidden * score_weight[:, None, None]).sum(axis=-1)
    return softmax(score) @ value


# %% mistake: the tanh is missing
hidden = query[:, :, None] + key[:, None]
# %% mistake: the softmax runs over the heads
return softmax(score, axis=0) @ value
# %% mistake: the scores are divided by the root of K; additive scores are not
score = (hidden * score_weight[:, None, None]).sum(axis=-1) / np.sqrt(query.shape[2])
# %% mistake: query and key are multiplied; they should be added
hidden = np.tanh(query[:, :, None] * key[:, None])
# %% mistake: query and key are subtracted; they should be added
hidden = np.tanh(query[:, :, None] - key[:, None])
# %% mistake: every head uses the first head's score weight
score = (hidden * score_weight[0]).sum(axis=-1)
# %% mistake: the score weight is not used
score = (hidden).sum(axis=-1)


# %% mistake: the tanh stands outside the sum
def instead(q, k, v, w):
    return (
        softmax(np.tanh(((q[:, :, None] + k[:, None]) * w[:, None, None]).sum(-1))) @ v
    )


# %% mistake: the mean over the width was taken; it is a sum
score = (hidden * score_weight[:, None, None]).mean(axis=-1)
# %% mistake: there is no softmax
return score @ value
# %% mistake: each part has a tanh of its own; the sum should have one
hidden = np.tanh(query)[:, :, None] + np.tanh(key)[:, None]
# %% mistake: these are the weights; the average of the values is missing
return softmax(score)
# %% mistake: a ReLU stands in place of the tanh
hidden = np.maximum(0, query[:, :, None] + key[:, None])


# %% mistake: that is the dot product's score
def instead(query, key, value, score_weight):
    return softmax(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2])) @ value


# %% mistake: there is a tanh too much: the score itself has none
score = np.tanh((hidden * score_weight[:, None, None]).sum(axis=-1))
