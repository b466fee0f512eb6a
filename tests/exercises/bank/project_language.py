# %% windows, right: numpy
def f(tokens, starts, length):
    rows = np.stack([tokens[s : s + length + 1] for s in starts])
    return rows[:, :-1], rows[:, 1:]


# %% windows, right: torch
def f(tokens, starts, length):
    rows = tokens.unfold(0, length + 1, 1)[starts]
    return rows[:, :-1], rows[:, 1:]


# %% attend, right: numpy
def f(q, k, v):
    T, S = q.shape[2], k.shape[2]
    s = np.einsum("bhtk,bhsk->bhts", q, k) * k.shape[3] ** -0.5
    m = np.triu(np.ones((T, S)), S - T + 1) == 1
    s = np.where(m, -1e30, s)
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return np.einsum("bhts,bhsv->bhtv", w, v), w


# %% attend, right: torch
def f(q, k, v):
    T, S = q.shape[2], k.shape[2]
    s = q @ k.transpose(-1, -2) / k.shape[-1] ** 0.5
    s = s + torch.triu(torch.full((T, S), -torch.inf), S - T + 1)
    w = s.softmax(-1)
    return torch.einsum("bhts,bhsv->bhtv", w, v), w


# %% heads, right: numpy
def f(x, p, H):
    B, T, D = x.shape
    q, k, v = (np.stack(np.split(x @ p[n], H, -1), 1) for n in ("query", "key", "value"))
    s = np.einsum("bhtk,bhsk->bhts", q, k) / (D / H) ** 0.5
    s = s + np.where(np.tri(T), 0, -1e30)
    w = softmax(s)
    c = np.einsum("bhts,bhsk->bthk", w, v)
    return c.reshape(B, T, D) @ p["output"], w


# %% heads, right: torch
def f(x, p, H):
    B, T, D = x.shape
    q, k, v = ((x @ p[n]).view(B, T, H, -1).permute(0, 2, 1, 3) for n in ("query", "key", "value"))
    s = torch.einsum("bhtk,bhsk->bhts", q, k) / (D // H) ** 0.5
    w = s.masked_fill(torch.ones(T, T).triu(1) == 1, -torch.inf).softmax(-1)
    return torch.cat((w @ v).unbind(1), -1) @ p["output"], w


# %% norm, right: numpy
lambda x, scale: scale * x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5
# %% norm, right: torch
lambda x, scale: torch.nn.functional.rms_norm(x, scale.shape, scale, 1e-6)
# %% norm, right: tf
lambda x, scale: x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + 1e-6) * scale


# %% layer, right: numpy
def f(x, p, H):
    B, T, D = x.shape
    norm = lambda x, g: x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5 * p[g]
    y = norm(x, "norm1")
    q, k, v = (np.stack(np.split(y @ p[n], H, -1), 1) for n in ("query", "key", "value"))
    s = np.einsum("bhtk,bhsk->bhts", q, k) / (D / H) ** 0.5
    w = softmax(s + np.where(np.tri(T), 0, -1e30))
    c = np.einsum("bhts,bhsk->bthk", w, v).reshape(B, T, D)
    x = x + c @ p["output"]
    h = norm(x, "norm2") @ p["inner"]
    return x + (h * (h > 0)) @ p["outer"], w


# %% layer, right: torch
def f(x, p, H):
    B, T, D = x.shape
    y = torch.nn.functional.rms_norm(x, (D,), p["norm1"], 1e-6)
    q, k, v = ((y @ p[n]).view(B, T, H, -1).permute(0, 2, 1, 3) for n in ("query", "key", "value"))
    s = torch.einsum("bhtk,bhsk->bhts", q, k) / (D // H) ** 0.5
    w = s.masked_fill(torch.ones(T, T).triu(1) == 1, -torch.inf).softmax(-1)
    x = x + torch.cat((w @ v).unbind(1), -1) @ p["output"]
    h = torch.nn.functional.rms_norm(x, (D,), p["norm2"], 1e-6) @ p["inner"]
    return x + h.clamp(min=0) @ p["outer"], w


# %% bits, right: torch
def f(l, t, n):
    p = l.log_softmax(-1).gather(-1, t[..., None])
    return -p.sum() / 0.6931471805599453 / n


# %% update, right: torch
def f(x, g, m, v, t, rate):
    m, v = torch.lerp(m, g, 0.1), torch.lerp(v, g * g, 0.01)
    return x - rate * m / (1 - 0.9**t) / ((v / (1 - 0.99**t)).sqrt() + 1e-8), m, v


# %% chances, right: numpy
def f(l, temperature, k):
    order = np.argsort(-l, axis=1)[:, :k]
    kept = np.take_along_axis(l, order, 1) / temperature
    e = np.exp(kept - kept.max(1, keepdims=True))
    out = np.zeros_like(l)
    np.put_along_axis(out, order, e / e.sum(1, keepdims=True), 1)
    return out


# %% chances, right: torch
def f(l, temperature, k):
    values, places = (l / temperature).topk(k, dim=1)
    return torch.zeros_like(l).scatter(1, places, values.softmax(1))
