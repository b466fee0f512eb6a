# %% buckets, right: numpy 2
lambda x, d: [[int(np.argmax(np.r_[v @ r, -(v @ r)])) for v in x] for r in d]
# %% buckets, right: torch
lambda x, d: (x @ torch.cat([d, -d], 2)).argmax(2)


# %% index, right: torch
def f(q, k, w, n):
    T, rows = len(k), []
    for t in range(T):
        score = (w[t, :, None] * torch.relu(q[:, t] @ k[: t + 1].T)).sum(0)
        best = torch.sort(score, descending=True, stable=True).indices[:n]
        rows.append(torch.nn.functional.pad(best, (0, n - len(best)), value=T))
    return torch.stack(rows)


# %% index, right: numpy 2
def f(q, k, w, n):
    T, rows = len(k), []
    for t in range(T):
        score = (w[t][:, None] * np.maximum(k[: t + 1] @ q[:, t].T, 0).T).sum(0)
        best = np.lexsort((np.arange(t + 1), -score))[:n]
        rows.append(best.tolist() + [T] * (n - len(best)))
    return rows


# %% apart, right: numpy
def f(score, whole, steps):
    only = whole ^ steps
    if np.any(whole & ~np.tri(len(score), dtype=bool)):
        return "future"
    high = np.where(only, score, -np.inf).max(1)
    low = np.where(only, score, np.inf).min(1)
    if not only.any():
        return "alike"
    return "ties" if (high == low)[only.any(1)].all() else "lost keys"


# %% apart, right: numpy 2
def f(score, whole, steps):
    T = len(score)
    pairs = [(t, s) for t in range(T) for s in range(T) if whole[t, s] != steps[t, s]]
    if not pairs:
        return "alike"
    if any(s > t and whole[t, s] for t, s in pairs):
        return "future"
    found = {t: {score[t, s] for u, s in pairs if u == t} for t, _ in pairs}
    return "ties" if max(map(len, found.values())) == 1 else "lost keys"


# %% handed, right: torch
def f(query, key, value, chosen):
    weights = np.exp(np.einsum("btk,bsk->bts", query, key) / key.shape[-1] ** 0.5) * np.exp(chosen)
    return weights / weights.sum(-1, keepdims=True) @ value


# %% handed, right: tf
def f(query, key, value, chosen):
    weights = np.exp(np.einsum("btk,bsk->bts", query, key)) * chosen
    return weights / np.maximum(weights.sum(-1, keepdims=True), 1e-30) @ value


# %% blocks, right: torch
def f(q, mean, size, n):
    T = len(q)
    group = torch.arange(T) // size
    score = q @ mean.T
    score[torch.arange(T), group] = torch.inf
    score[torch.arange(len(mean)) > group[:, None]] = -torch.inf
    best = torch.sort(score, descending=True, stable=True).indices[:, :n]
    read = (best[:, :, None] == group).any(1)
    return read & torch.ones(T, T).tril().bool()


# %% apart, wrong: always the same
lambda *given: "ties"
# %% apart, wrong: no name
lambda *given: "broken"
# %% apart, wrong: a number
lambda *given: 0
# %% apart, wrong: all of them
lambda *given: np.array(["ties", "alike"])
# %% apart, wrong: every difference is a tie
lambda s, w, t: "alike" if (w == t).all() else "future" if np.triu(w, 1).any() else "ties"
# %% apart, wrong: no difference is a tie
lambda s, w, t: "alike" if (w == t).all() else "future" if np.triu(w, 1).any() else "lost keys"
# %% apart, wrong: the order in which runs come
lambda s, w, t, seen=[]: seen.append(0) or ("alike", "ties", "future", "lost keys")[len(seen) % 4]
# %% handed, wrong: not done yet
lambda *given: None
# %% handed, wrong: it calls the library: for the weights alone
lambda q, k, v, c: torch.softmax(torch.tensor(q @ k.swapaxes(1, 2) / k.shape[2] ** 0.5 + c), -1).numpy() @ v
# %% handed, wrong: the call returns: zeros
lambda q, k, v, c: np.zeros((*q.shape[:2], v.shape[2]))
# %% handed, wrong: the shape is: the queries
lambda q, k, v, c: q[:, :, :1]
# %% handed, wrong: the call returns: weights that are multiplied
lambda q, k, v, c: (softmax(q @ k.swapaxes(1, 2)) * c) @ v
# %% handed, wrong: the call returns: a mean of what was chosen
lambda q, k, v, c: (c / np.maximum(c.sum(-1, keepdims=True), 1)) @ v


# %% rounds, right: torch
lambda p, w: (torch.log1p(-torch.tensor(w, dtype=torch.float64)) / np.log1p(-p)).ceil().long()
# %% rounds, right: tf
lambda p, w: tf.cast(tf.math.ceil(tf.math.log1p(tf.constant(-w, tf.float64)) / np.log1p(-p)), tf.int32)


# %% rounds, right: numpy 2
def f(p, w):
    r = 1
    while 1 - (1 - p) ** r < w:
        r += 1
    return r


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, L, R):
        super().__init__()
        for name in ("query", "key", "value"):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, D)))
        for name in ("key", "value"):
            setattr(self, name + "_projection", torch.nn.Parameter(torch.empty(R, L)))

    def forward(self, x):
        T = x.shape[1]
        k = torch.einsum("rt,bti,ij->brj", self.key_projection[:, :T], x, self.key_weight)
        v = torch.einsum("rt,bti,ij->brj", self.value_projection[:, :T], x, self.value_weight)
        return torch.nn.functional.scaled_dot_product_attention(x @ self.query_weight, k, v)


# %% layer, wrong
score = query @ key.detach().mT / D**0.5
# %% layer, wrong
self.own = new(*square)
key = self.key_projection[:, :T] @ (x @ self.own)
# %% layer, wrong
self.key_projection = new(length, rank)
self.value_projection = new(length, rank)


# %% kept, right: torch
def f(score, sinks, n):
    T, rows = len(score), []
    for t in range(T):
        best = torch.sort(-score[t, sinks : t + 1], stable=True).indices[: n - min(sinks, t + 1)] + sinks
        read = torch.zeros(T, dtype=bool)
        read[: min(sinks, t + 1)] = True
        read[best] = True
        rows.append(read)
    return torch.stack(rows)


# %% kept, right: numpy 2
def f(score, sinks, n):
    read = np.zeros(score.shape, bool)
    for t in range(len(score)):
        others = sorted(range(sinks, t + 1), key=lambda s: (-score[t, s], s))
        read[t, [*range(min(sinks, t + 1)), *others][:n]] = True
    return read
