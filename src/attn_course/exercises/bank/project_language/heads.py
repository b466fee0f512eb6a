"""Write `heads(x, p, num_heads)`: causal multi-head self-attention with rotary
positions. x (B, T, D); p, a dictionary of the maps "query", "key", "value" and
"output", each (D, D), without biases. Head h has the columns h * D / H to (h + 1) * D /
H. In every head queries and keys are turned by their positions, 0 to T - 1, in the
layout half, base 10000; values are not. Returns the output (B, T, D) and the weights
(B, H, T, T). The package's `rotate(x, positions)`, x (..., T, K), may be called.

1. Four maps, and your attention between the third and the fourth; what it compares is
   turned before.
2. To split: (B, T, D) to (B, T, H, K), then exchange the two axes in the middle; now
   positions stand where `rotate` wants them. To merge: exchange them back first.
3. query, key, value = split(x @ p["query"]), ...; context, weights =
   attend(rotate(query, positions), rotate(key, positions), value); merge(context) @
   p["output"], weights.
"""

title = "split into heads, turn, attend, merge"
level, minutes = 2, 15
kind = "part"
before = "06.split_heads, 07.rotate, lm.attend"
usual = "afterwards zero"
uses = ("attend",)

MAPS = ("query", "key", "value", "output")


def cases(rng):
    def draw(B, T, H, pairs):
        D = 2 * H * pairs
        p = {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in MAPS}
        return rng.normal(size=(B, T, D)), p, H

    def blocked(x, p, H):
        K = x.shape[2] // H
        slow = slice(K // 2 - 1, None, K)  # of every head, a column that hardly turns
        x[:, :, 0], p["query"][0], p["key"][0] = 0, 0, 0
        p["query"][:, slow] = 0
        p["query"][1, slow] = np.sqrt(K)
        p["key"][:, slow] = 0
        p["key"][0, slow] = 1000
        x[:, :, 1], x[:, -1, 0] = 1, 1
        return x, p, H

    B, T, H, pairs = (int(size) for size in rng.permutation([2, 3, 5, 7]))
    return [
        *sized(draw, (3, 3, 3, 3), (B, T, H, pairs), (1, T, 2, 3)),
        Case("a single position", draw(B, 1, 2, 3)),
        Case("one head of width 2", draw(B, T, 1, 1)),
        Case("the largest score is blocked", blocked(*draw(2, 5, 3, 7))),
        Case("length 50", draw(1, 50, 2, 3)),
    ]


# %% solution
def heads(x, p, num_heads):
    (B, T, D), half = x.shape, x.shape[2] // num_heads // 2
    parts = B, T, num_heads, -1
    query = (x @ p["query"]).reshape(parts).swapaxes(1, 2)
    key = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
    value = (x @ p["value"]).reshape(parts).swapaxes(1, 2)
    turn = np.exp(1j * np.arange(T)[:, None] * 1e4 ** (-np.arange(half) / half))
    one = (query[..., :half] + 1j * query[..., half:]) * turn  # a pair, one number
    two = (key[..., :half] + 1j * key[..., half:]) * turn
    score = (one @ two.conj().swapaxes(2, 3)).real / np.sqrt(2 * half)
    weights = softmax(np.where(np.tri(T, dtype=bool), score, -np.inf))
    context = (weights @ value).swapaxes(1, 2).reshape(x.shape)
    return context @ p["output"], weights


# %% solution: torch
import attn_course.pytorch as attn_torch


def heads_torch(x, p, num_heads):
    ...  # (B, T, D), maps (D, D); return (B, T, D), (B, H, T, T)

    def split(name):
        found = (x @ p[name]).unflatten(2, (num_heads, -1))
        return found.transpose(1, 2)  # (B, H, T, K)

    where = torch.arange(x.shape[1])
    query, key = (attn_torch.rotate(split(n), where) for n in ("query", "key"))
    context, weights = attend_torch(query, key, split("value"))
    merged = context.transpose(1, 2).flatten(2)  # (B, T, D)
    return merged @ p["output"], weights


# %% solution: tf
import attn_course.tf as attn_tf


def heads_tf(x, p, num_heads):
    ...  # (B, T, D), maps (D, D); return (B, T, D), (B, H, T, T)
    B, T, D = tf.shape(x)[0], tf.shape(x)[1], x.shape[2]

    def split(name):
        found = tf.reshape(x @ p[name], (B, T, num_heads, D // num_heads))
        return tf.transpose(found, (0, 2, 1, 3))  # (B, H, T, K)

    where = tf.range(T)
    query, key = (attn_tf.rotate(split(n), where) for n in ("query", "key"))
    context, weights = attend_tf(query, key, split("value"))
    merged = tf.reshape(tf.transpose(context, (0, 2, 1, 3)), (B, T, D))
    return merged @ p["output"], weights


# %% mistake: the scale is missing: divide the scores by the root of K
score = (one @ two.conj().swapaxes(2, 3)).real
# %% mistake: the scores are divided by the root of D; it is K, the width of one head
score = (one @ two.conj().swapaxes(2, 3)).real / np.sqrt(D)
# %% mistake: nothing is turned: without positions the order of the tokens is lost
turn = np.ones((T, half))
# %% mistake: the keys are not turned; both are, each by its own position
two = key[..., :half] + 1j * key[..., half:]
# %% mistake: the queries are not turned; both are, each by its own position
one = query[..., :half] + 1j * query[..., half:]
# %% mistake: neighbors turn together: the layout is half
one = (query[..., ::2] + 1j * query[..., 1::2]) * turn
two = (key[..., ::2] + 1j * key[..., 1::2]) * turn
# %% mistake: it turns the other way
one = (query[..., :half] - 1j * query[..., half:]) * turn
two = (key[..., :half] - 1j * key[..., half:]) * turn
# %% mistake: the angles fall too slowly: the exponent is -2 p / K
turn = np.exp(1j * np.arange(T)[:, None] * 1e4 ** (-np.arange(half) / half / 2))
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
