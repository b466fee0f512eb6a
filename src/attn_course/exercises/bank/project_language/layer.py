"""Write `layer(x, p, num_heads)`: a pre-norm layer, x (B, T, D). First x plus the heads
of norm(x, p["norm1"]); then that plus the network of norm(that, p["norm2"]): a ReLU
between p["inner"] (D, F) and p["outer"] (F, D), no biases. The maps of the heads stand
in p too, as in lm.heads. Returns x (B, T, D) and the heads' weights (B, H, T, T).

1. Twice the same: norm, something that reads it, and the sum with what came in.
2. The second half begins from the first half's sum, not from the x that came in.
3. found, weights = heads(norm(x, p["norm1"]), p, H); x = x + found; inner =
   relu(norm(x, p["norm2"]) @ p["inner"]); x + inner @ p["outer"], weights
"""

title = "a pre-norm layer with two residual sums"
level, minutes = 2, 20
kind = "part"
before = "08.pre_norm, lm.heads, lm.norm"
usual = "afterwards"
uses = "norm", "attend", "heads"

MAPS = ("query", "key", "value", "output")


def cases(rng):
    def draw(B, T, H, pairs, F):
        D = 2 * H * pairs
        p = {"norm1": rng.normal(size=D), "norm2": rng.normal(size=D)}
        p |= {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in MAPS}
        p["inner"] = rng.normal(size=(D, F)) / np.sqrt(D)
        p["outer"] = rng.normal(size=(F, D)) / np.sqrt(F)
        return rng.normal(size=(B, T, D)), p, H

    def blocked(x, p, H):
        K = x.shape[2] // H
        slow = slice(K // 2 - 1, None, K)  # of every head, a column that hardly turns
        p["query"][:, slow], p["key"][:, slow] = 0, 0
        p["query"][1, slow], p["key"][0, slow] = 10, 400
        p["norm1"] = np.ones_like(p["norm1"])
        p["outer"] = 0 * p["outer"]  # steep scores and a ReLU's edge don't meet
        x[:, :, 0], x[:, :, 1], x[:, -1, 0] = 0, 1, 1
        return x, p, H

    B, T, H, pairs, F = (int(size) for size in rng.permutation([2, 3, 5, 7, 11]))
    return [
        *sized(draw, (3, 3, 3, 3, 3), (B, T, H, pairs, F), (1, T, 2, 3, F)),
        Case("a single position", draw(B, 1, 2, 3, F)),
        Case("one head of width 2", draw(B, T, 1, 1, F)),
        Case("the largest score is blocked", blocked(*draw(2, 5, 3, 7, 2))),
        Case("length 50", draw(1, 50, 2, 3, 5)),
    ]


# %% solution
def layer(x, p, num_heads):
    def norm(x, scale):
        return x / np.sqrt((x**2).mean(axis=2, keepdims=True) + 1e-6) * scale

    (B, T, D), half = x.shape, x.shape[2] // num_heads // 2
    read, seen = norm(x, p["norm1"]), np.tri(T, dtype=bool)
    maps = np.stack([p["query"], p["key"], p["value"]])[:, None]
    query, key, value = (read @ maps).reshape(3, B, T, num_heads, -1).swapaxes(2, 3)
    turn = np.exp(1j * np.arange(T)[:, None] * 1e4 ** (-np.arange(half) / half))
    query, key = ((z[..., :half] + 1j * z[..., half:]) * turn for z in (query, key))
    score = (query @ key.conj().swapaxes(2, 3)).real / np.sqrt(2 * half)
    weights = softmax(np.where(seen, score, -np.inf))
    x = x + (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
    inner = np.maximum(norm(x, p["norm2"]) @ p["inner"], 0)
    return x + inner @ p["outer"], weights


# %% solution: torch
def layer_torch(x, p, num_heads):
    ...  # (B, T, D), a dictionary; return (B, T, D), (B, H, T, T)
    read = norm_torch(x, p["norm1"])
    found, weights = heads_torch(read, p, num_heads)
    x = x + found
    inner = torch.relu(norm_torch(x, p["norm2"]) @ p["inner"])
    return x + inner @ p["outer"], weights


# %% solution: tf
def layer_tf(x, p, num_heads):
    ...  # (B, T, D), a dictionary; return (B, T, D), (B, H, T, T)
    read = norm_tf(x, p["norm1"])
    found, weights = heads_tf(read, p, num_heads)
    x = x + found
    inner = tf.nn.relu(norm_tf(x, p["norm2"]) @ p["inner"])
    return x + inner @ p["outer"], weights


# %% mistake: the first norm is missing
read, seen = x, np.tri(T, dtype=bool)
# %% mistake: the second norm is missing
inner = np.maximum(x @ p["inner"], 0)
# %% mistake: the norms are exchanged: norm1 comes first
read, seen = norm(x, p["norm2"]), np.tri(T, dtype=bool)
inner = np.maximum(norm(x, p["norm1"]) @ p["inner"], 0)
# %% mistake: norm1 is used twice; the second is norm2
inner = np.maximum(norm(x, p["norm1"]) @ p["inner"], 0)
# %% mistake: the heads' output is not added to x: the residual connection is missing
x = (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
# %% mistake: the network's output is not added to x: the residual connection is missing
return inner @ p["outer"], weights
# %% mistake: the norm's result is added where x should be: a residual connection
# bypasses it
x = read + (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
# %% mistake: there is no ReLU between the two maps
inner = norm(x, p["norm2"]) @ p["inner"]
# %% mistake: there is a tanh in place of the ReLU
inner = np.tanh(norm(x, p["norm2"]) @ p["inner"])
# %% mistake: the network reads what the first norm gave; it reads the sum, normed again
inner = np.maximum(read @ p["inner"], 0)
# %% mistake: no key is blocked: a position sees none that comes after it
weights = softmax(score)
# %% mistake: the scale is missing: divide the scores by the root of K
score = (query @ key.conj().swapaxes(2, 3)).real
# %% mistake: nothing is turned: queries and keys are, as in lm.heads
turn = np.ones((T, half))
# %% mistake: the output's map is missing
x = x + (weights @ value).swapaxes(1, 2).reshape(x.shape)
# %% mistake: it returns x alone; the weights too
return x + inner @ p["outer"]
# %% mistake: the norms come after the sums: that is a post-norm layer
read, seen = x, np.tri(T, dtype=bool)
x = x + (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
inner = np.maximum(norm(x, p["norm1"]) @ p["inner"], 0)
return norm(norm(x, p["norm1"]) + inner @ p["outer"], p["norm2"]), weights
