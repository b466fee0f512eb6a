# %% layer_norm, right: torch
lambda x, s, b: torch.nn.functional.layer_norm(x, (x.shape[-1],), s, b, 1e-5)


# %% layer_norm, right: tf
def f(x, s, b):
    m, v = tf.nn.moments(x, axes=[-1], keepdims=True)
    return (x - m) / tf.sqrt(v + 1e-5) * s + b


# %% layer_norm, right: numpy 2
lambda x, s, b: (x - x.mean(-1)[..., None]) / np.sqrt(x.var(-1)[..., None] + 1e-5) * s + b


# %% layer_norm, right: tf 2
def f(x, s, b):
    m = tf.reduce_mean(x, -1, keepdims=True)
    v = tf.reduce_mean((x - m) ** 2, -1, keepdims=True)
    return s * (x - m) * tf.math.rsqrt(v + tf.constant(1e-5)) + b


# %% post_norm, right: tf
def norm(z):
    m, v = tf.nn.moments(z, axes=[-1], keepdims=True)
    return (z - m) / tf.sqrt(v + 1e-5)


def f(x, w, v, i, o):
    y = norm(w @ x @ v + x)
    return norm(tf.nn.relu(y @ i) @ o + y)


# %% post_norm, right: torch
def f(x, w, v, i, o):
    n = lambda z: torch.nn.functional.layer_norm(z, z.shape[-1:])
    y = n(w @ x @ v + x)
    return n(torch.relu(y @ i) @ o + y)


# %% pre_norm, right: tf
def norm(z):
    m, v = tf.nn.moments(z, axes=[-1], keepdims=True)
    return (z - m) / tf.sqrt(v + 1e-5)


def f(x, weights):
    for weight in tf.unstack(weights):
        x = x + norm(x) @ weight
    return norm(x)


# %% pre_norm, right: torch
def f(x, w):
    n = lambda z: torch.nn.functional.layer_norm(z, z.shape[-1:])
    for i in range(len(w)):
        x = x + n(x) @ w[i]
    return n(x)


# %% pre_norm, right: numpy 2
def f(x, w):
    n = lambda z: (z - z.mean(-1)[:, None]) / np.sqrt(z.var(-1)[:, None] + 1e-5)
    y = x.copy()
    for m in w:
        y += n(y) @ m
    return n(y)


# %% parameters, right: torch
def f(D, F):
    layer = torch.nn.TransformerEncoderLayer(D, 1, F)
    return sum(each.numel() for each in layer.parameters())


# %% parameters, right: tf
lambda D, F: tf.constant(4 * D * D) + 2 * D * F + 9 * D + F


# %% block, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, F):
        super().__init__()
        for name, size in (("scale", (D,)), ("bias", (D,)), ("inner", (D, F)), ("outer", (F, D))):
            setattr(self, name, torch.nn.Parameter(torch.zeros(size)))

    def forward(self, x):
        y = torch.nn.functional.layer_norm(x, x.shape[-1:], self.scale, self.bias)
        return (y @ self.inner).relu() @ self.outer + x


# %% block, wrong
return x.detach() + torch.relu(y @ self.inner) @ self.outer
# %% block, wrong
y = centered.detach() / torch.sqrt(variance + 1e-5)
# %% block, wrong
self.scale = torch.ones(model_dim)


# %% diagnose, right: numpy
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    size = maps.shape[-1]
    ahead = maps[..., np.arange(size - 1), np.arange(1, size)].sum()
    if ahead > 0:
        return "leaking mask"
    if (gradients == 0).any():
        return "dead head"
    if abs(norms[2] / norms[1] - 1) < 0.02:
        return "norm misplaced"
    if cached - free > 0.2:
        return "cache off by one"
    if loss[-5:].mean() < 0.6:
        return "shift by one"
    return "scale missing" if entropy < 0.72 else "healthy"


# %% diagnose, right: numpy 2
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    signs = {
        "leaking mask": np.triu(maps, 1).any(),
        "dead head": not gradients.all(),
        "norm misplaced": np.isclose(norms[1], norms[2], rtol=0.02),
        "shift by one": free > 0.5 and loss[-1] < 1,
        "scale missing": entropy < 0.72,
        "cache off by one": cached > 2 * free + 0.1,
        "healthy": True,
    }
    return next(name for name, seen in signs.items() if seen)


# %% diagnose, wrong: always the same
lambda *given: "healthy"
# %% diagnose, wrong: another
lambda *given: "leaking mask"
# %% diagnose, wrong: the most frequent fault
lambda *given: "shift by one"
# %% diagnose, wrong: no name
lambda *given: "broken"
# %% diagnose, wrong: empty
lambda *given: ""
# %% diagnose, wrong: a number
lambda *given: 0
# %% diagnose, wrong: all of them
lambda *given: np.array(["healthy", "leaking mask"])
# %% diagnose, wrong: by the loss alone
lambda loss, *given: "shift by one" if loss[-1] < 0.5 else "healthy"


# %% diagnose, wrong: by what it writes alone
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    if free > 0.3:
        return "shift by one"
    return "cache off by one" if cached > 0.2 else "healthy"


# %% diagnose, wrong: drawn
def diagnose(loss, *given, seen=[]):
    names = "healthy", "leaking mask", "dead head", "shift by one", "norm misplaced", "scale missing"
    return names[int(1e6 * loss[-1]) % 6]


# %% diagnose, wrong: the order of the record
def diagnose(*given, seen=[]):
    names = "healthy", "leaking mask", "dead head", "shift by one", "norm misplaced", "cache off by one"
    seen.append(0)
    return [*names, "scale missing"][(len(seen) - 1) % 7]


# %% mend, right: torch
def f(x, past, places, wq, wk, wv):
    S = len(past)
    rows = torch.cat([past, x + places[S : S + len(x)]])
    q, k, v = rows[S:] @ wq, rows @ wk, rows @ wv
    seen = torch.ones(len(x), len(rows), dtype=torch.bool).tril(S)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen), rows


# %% mend, right: numpy 2
def f(x, past, places, wq, wk, wv):
    rows, out = list(past), []
    for row in x:
        rows.append(row + places[len(rows)])
        all_rows = np.array(rows)
        s = all_rows @ wk @ (rows[-1] @ wq) / len(wk) ** 0.5
        e = np.exp(s - s.max())
        out.append(e / e.sum() @ all_rows @ wv)
    return np.array(out), np.array(rows)
