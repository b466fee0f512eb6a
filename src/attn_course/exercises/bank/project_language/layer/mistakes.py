import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% the first norm is missing
read, seen = x, np.tri(x.shape[1], dtype=bool)
# %% the second norm is missing
inner = np.maximum(x @ p["inner"], 0)
# %% the norms are exchanged: norm1 comes first
read, seen = norm(x, p["norm2"]), np.tri(x.shape[1], dtype=bool)
inner = np.maximum(norm(x, p["norm1"]) @ p["inner"], 0)
# %% norm1 is used twice; the second is norm2
inner = np.maximum(norm(x, p["norm1"]) @ p["inner"], 0)
# %% the heads' output is not added to x: the residual connection is missing
x = (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
# %% the network's output is not added to x: the residual connection is missing
return inner @ p["outer"], weights
# %% the norm's result is added where x should be: a residual connection bypasses it
x = read + (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
# %% there is no ReLU between the two maps
inner = norm(x, p["norm2"]) @ p["inner"]
# %% there is a tanh in place of the ReLU
inner = np.tanh(norm(x, p["norm2"]) @ p["inner"])
# %% the network reads what the first norm gave; it reads the sum, normed again
inner = np.maximum(read @ p["inner"], 0)
# %% no key is blocked: a position sees none that comes after it
weights = softmax(score)
# %% the scale is missing: divide the scores by the root of K
score = query @ key.swapaxes(2, 3)
# %% the output's map is missing
x = x + (weights @ value).swapaxes(1, 2).reshape(x.shape)
# %% it returns x alone; the weights too
return x + inner @ p["outer"]


# %% the norms come after the sums: that is a post-norm layer
def instead(x, p, num_heads):
    B, T, D = x.shape

    def norm(x, scale):
        return x / np.sqrt((x**2).mean(axis=2, keepdims=True) + 1e-6) * scale

    parts = [x @ p[name] for name in ("query", "key", "value")]
    parts = [each.reshape(B, T, num_heads, -1).swapaxes(1, 2) for each in parts]
    score = parts[0] @ parts[1].swapaxes(2, 3) / np.sqrt(D // num_heads)
    weights = softmax(np.where(np.tri(T, dtype=bool), score, -np.inf))
    found = (weights @ parts[2]).swapaxes(1, 2).reshape(x.shape) @ p["output"]
    x = norm(x + found, p["norm1"])
    return norm(x + np.maximum(x @ p["inner"], 0) @ p["outer"], p["norm2"]), weights
