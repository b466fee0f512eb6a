# %% strided, right: numpy 2
def f(n, l):
    return sliding(n, l) | column(n, l)


def sliding(n, l):
    return np.tri(n, dtype=bool) & ~np.tri(n, k=-l - 1, dtype=bool)


def column(n, l):
    i = np.arange(n)
    return (i[:, None] % l == i % l) & np.tri(n, dtype=bool)


# %% strided, right: torch
def f(n, l):
    b = torch.arange(n)[:, None] - torch.arange(n)
    return ((b <= l) | (b % l == 0)).tril()


# %% window, right: numpy 2
def f(q, k, v, w):
    rows = []
    for i in range(len(q)):
        j = max(0, i - w + 1)
        s = k[j : i + 1] @ q[i] / np.sqrt(q.shape[1])
        e = np.exp(s - s.max())
        rows.append(e / e.sum() @ v[j : i + 1])
    return np.array(rows)


# %% window, right: torch
def f(q, k, v, w):
    s = q @ k.T / q.shape[1] ** 0.5
    seen = torch.ones_like(s).bool().tril().triu(1 - w)
    return s.masked_fill(~seen, -torch.inf).softmax(-1) @ v


# %% fixed, right: torch
def f(q, k, v, l, c):
    j, out = torch.arange(len(q)), []
    for a in range(0, len(q), l):
        i = j[a : a + l, None]
        seen = ((i // l == j // l) | (j % l >= l - c)) & (j <= i)
        out.append(torch.nn.functional.scaled_dot_product_attention(q[a : a + l], k, v, attn_mask=seen))
    return torch.cat(out)


# %% fixed, right: numpy 2
def f(q, k, v, l, c):
    out = np.zeros((len(q), v.shape[1]))
    for t in range(len(q)):
        block = np.arange(t - t % l)
        j = np.concatenate([block[block % l >= l - c], np.arange(t - t % l, t + 1)])
        out[t] = softmax(k[j] @ q[t] / np.sqrt(q.shape[1])) @ v[j]
    return out


# %% reach, right: torch
lambda n, w: torch.tensor((n - 1) / (w - 1)).ceil().long()


# %% reach, right: numpy 2
def f(n, w):
    steps, far = 0, 0
    while far < n - 1:
        steps, far = steps + 1, far + w - 1
    return steps


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, window):
        super().__init__()
        self.query_weight, self.key_weight, self.value_weight = (
            torch.nn.Parameter(torch.empty(D, D)) for _ in range(3)
        )
        self.window = window

    def forward(self, x):
        T = x.shape[1]
        seen = torch.ones(T, T, dtype=torch.bool).tril().triu(1 - self.window)
        q, k, v = x @ self.query_weight, x @ self.key_weight, x @ self.value_weight
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, seen)


# %% layer, wrong
score = query @ key.detach().mT / x.shape[2] ** 0.5
# %% layer, wrong
setattr(self, f"{name}_map", torch.nn.Parameter(start))
query, key = x @ self.query_map, x @ self.key_map
return torch.softmax(score, -1) @ (x @ self.value_map)
