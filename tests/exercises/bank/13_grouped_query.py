# %% grouped, right: torch
def f(q, k, v):
    T, S = q.shape[1], k.shape[1]
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], mask, enable_gqa=True)[0]


# %% decode, right: numpy
def f(q, k, v, past_k, past_v):
    n = len(q) // len(k)
    keys = np.concatenate([past_k, k[:, None]], 1).repeat(n, 0)
    values = np.concatenate([past_v, v[:, None]], 1).repeat(n, 0)
    s = (keys @ q[:, :, None])[:, :, 0] / np.sqrt(q.shape[1])
    return (softmax(s)[:, None] @ values)[:, 0]


# %% decode, right: torch
def f(q, k, v, past_k, past_v):
    keys, values = (torch.cat([past_k, k[:, None]], 1), torch.cat([past_v, v[:, None]], 1))
    return torch.nn.functional.scaled_dot_product_attention(
        q[None, :, None], keys[None], values[None], enable_gqa=True
    )[0, :, 0]


# %% decode, right: tf
def f(q, k, v, past_k, past_v):
    n = q.shape[0] // k.shape[0]
    keys = tf.repeat(tf.concat([past_k, k[:, None]], 1), n, 0)
    values = tf.repeat(tf.concat([past_v, v[:, None]], 1), n, 0)
    w = tf.nn.softmax(tf.linalg.matvec(keys, q) / q.shape[1] ** 0.5)
    return tf.linalg.matvec(values, w, transpose_a=True)


# %% decode, right: numpy 2
def f(q, k, v, pk, pv):
    out = []
    for h in range(len(q)):
        g = h * len(k) // len(q)
        keys, values = np.vstack([pk[g], k[g]]), np.vstack([pv[g], v[g]])
        out.append(softmax(keys @ q[h] / len(q[h]) ** 0.5) @ values)
    return out


# %% ring, right: torch
def f(n, w, s):
    slots = torch.full((s + w,), -1)
    for p in range(n):
        slots[p if p < s else s + (p - s) % w] = p
    return slots


# %% ring, right: tf
def f(n, w, s):
    slots = [p if p < n else -1 for p in range(s + w)]
    for p in range(s + w, n):
        slots[s + (p - s) % w] = p
    return tf.constant(slots)


# %% ring, right: numpy 2
def f(n, w, s):
    slots = [-1] * (s + w)
    for p in [*range(min(n, s)), *range(max(s, n - w), n)]:
        slots[p if p < s else s + (p - s) % w] = p
    return slots


# %% cache_size, right: torch
lambda a, b, G, K, n, w: 4 * G * K * (torch.tensor(a) * n + b * min(n, w))
# %% cache_size, right: numpy 2
lambda a, b, G, K, n, w: sum(4 * G * K * m for m in [n] * a + [min(n, w)] * b)


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, H, G):
        super().__init__()
        self.H, self.G, K = H, G, D // H
        for name, n in (("query", H), ("key", G), ("value", G), ("output", H)):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, n * K)))

    def forward(self, x):
        split = lambda y, n: y.unflatten(-1, (n, -1)).transpose(1, 2)
        q = split(x @ self.query_weight, self.H)
        k, v = split(x @ self.key_weight, self.G), split(x @ self.value_weight, self.G)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        return y.transpose(1, 2).flatten(2) @ self.output_weight


# %% layer, wrong
score = torch.einsum("btghk,bsgk->bghts", query.detach(), key)
# %% layer, wrong
self.key = new(G * D // H)
key = (x @ self.key).unflatten(-1, (G, K))
# %% layer, wrong
self.key_weight = new(D)
self.value_weight = new(D)
