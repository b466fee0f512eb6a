"""Write `heads(x, p, num_heads)`: causal multi-head self-attention. x (B, T, D); p, a
dictionary of the maps "query", "key", "value" and "output", each (D, D), without
biases. Head h has the columns h * D / H to (h + 1) * D / H. Returns the output (B, T,
D) and the weights (B, H, T, T).

1. Four maps, and your attention between the third and the fourth.
2. To split: (B, T, D) to (B, T, H, K), then exchange the two axes in the middle. To
   merge: exchange them back first.
3. query, key, value = split(x @ p["query"]), ...; context, weights = attend(query, key,
   value); merge(context) @ p["output"], weights.
"""

level, minutes = 2, 15
kind = "part"
before = "06.split_heads, lm.attend"
usual = "afterwards zero"
uses = ("attend",)

MAPS = ("query", "key", "value", "output")


def cases(rng):
    def draw(B, T, H, K):
        D = H * K
        p = {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in MAPS}
        return rng.normal(size=(B, T, D)), p, H

    def blocked(x, p, H):
        K = x.shape[2] // H
        x[:, :, 0], p["query"][0], p["key"][0] = 0, 0, 0
        p["query"][:, ::K] = 0
        p["query"][1, ::K] = np.sqrt(K)
        p["key"][:, ::K] = 0
        p["key"][0, ::K] = 1000
        x[:, :, 1], x[:, -1, 0] = 1, 1
        return x, p, H

    B, T, H, K = (int(size) for size in rng.permutation([2, 3, 5, 7]))
    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(B, T, H, K)),
        Case("an axis of size 1", draw(1, T, 2, 3)),
        Case("a single position", draw(B, 1, 2, 3)),
        Case("one head of width 1", draw(B, T, 1, 1)),
        Case("the largest score is blocked", blocked(*draw(2, 5, 3, 7))),
        Case("length 50", draw(1, 50, 2, 3)),
    ]


# %% solution
def heads(x, p, num_heads):
    B, T, D = x.shape
    parts = B, T, num_heads, D // num_heads
    query = (x @ p["query"]).reshape(parts).swapaxes(1, 2)
    key = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
    value = (x @ p["value"]).reshape(parts).swapaxes(1, 2)
    score = query @ key.swapaxes(2, 3) / np.sqrt(D / num_heads)
    weights = softmax(np.where(np.tri(T, dtype=bool), score, -np.inf))
    context = (weights @ value).swapaxes(1, 2).reshape(x.shape)
    return context @ p["output"], weights


# %% solution: torch
def heads_torch(x, p, num_heads):
    ...  # (B, T, D), maps (D, D); return (B, T, D), (B, H, T, T)

    def split(x):
        return x.unflatten(2, (num_heads, -1)).transpose(1, 2)

    asked = (split(x @ p[name]) for name in ("query", "key", "value"))
    context, weights = attend_torch(*asked)
    merged = context.transpose(1, 2).flatten(2)  # (B, T, D)
    return merged @ p["output"], weights


# %% solution: tf
def heads_tf(x, p, num_heads):
    ...  # (B, T, D), maps (D, D); return (B, T, D), (B, H, T, T)
    B, T, D = tf.shape(x)[0], tf.shape(x)[1], x.shape[2]

    def split(x):
        x = tf.reshape(x, (B, T, num_heads, D // num_heads))
        return tf.transpose(x, (0, 2, 1, 3))

    asked = (split(x @ p[name]) for name in ("query", "key", "value"))
    context, weights = attend_tf(*asked)
    merged = tf.reshape(tf.transpose(context, (0, 2, 1, 3)), (B, T, D))
    return merged @ p["output"], weights


# %% mistake: the scale is missing: divide the scores by the root of K
score = query @ key.swapaxes(2, 3)
# %% mistake: the scores are divided by the root of D; it is K, the width of one head
score = query @ key.swapaxes(2, 3) / np.sqrt(D)
# %% mistake: no key is blocked: a position sees none that comes after it
weights = softmax(score)
# %% mistake: the mask is inverted: a position sees what came before it
weights = softmax(np.where(np.tri(T, dtype=bool).T, score, -np.inf))
# %% mistake: the output's map is missing
return context, weights
# %% mistake: the heads are merged without exchanging the axes back
context = (weights @ value).reshape(x.shape)
# %% mistake: the queries are split without exchanging the axes
query = (x @ p["query"]).reshape(B, num_heads, T, -1)
# %% mistake: the keys' map stands in place of the queries'
query = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
# %% mistake: the queries' map stands in place of the keys'
key = (x @ p["query"]).reshape(parts).swapaxes(1, 2)
# %% mistake: the values have no map
value = x.reshape(parts).swapaxes(1, 2)
# %% mistake: the keys' map stands in place of the values'
value = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
# %% mistake: the maps are transposed: x stands to the left
query = (x @ p["query"].T).reshape(parts).swapaxes(1, 2)
# %% mistake: it returns the output alone; the weights too
return context @ p["output"]
# %% mistake: the weights are a mean over the heads; each head's are asked for
return context @ p["output"], weights.mean(axis=1)
