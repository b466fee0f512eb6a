# %% buckets, right: numpy 2
lambda x, d: [[int(np.argmax(np.r_[v @ r, -(v @ r)])) for v in x] for r in d]
# %% buckets, right: torch
lambda x, d: (x @ torch.cat([d, -d], 2)).argmax(2)
# %% merged, right: torch
lambda o, l: torch.einsum("rt,rtv->tv", torch.softmax(l, 0), o)


# %% merged, right: numpy 2
def f(o, l):
    w = np.exp(l - l.max(0))
    return np.stack([w[:, t] @ o[:, t] / w[:, t].sum() for t in range(l.shape[1])])


# %% allowed, right: torch
def f(b, n):
    chunk = torch.argsort(torch.argsort(b, stable=True)) // n
    back = chunk[:, None] - chunk
    own = torch.eye(len(b), dtype=torch.bool)
    m = ((back == 0) | (back == 1)) & (b[:, None] == b) & ~own
    return m | own & ~m.any(1)[:, None]


# %% allowed, right: numpy 2
def f(b, n):
    order = sorted(range(len(b)), key=lambda i: (b[i], i))
    chunk = {i: place // n for place, i in enumerate(order)}
    rows = []
    for i in range(len(b)):
        row = [i != j and b[i] == b[j] and chunk[i] - chunk[j] in (0, 1) for j in range(len(b))]
        rows.append(row if any(row) else [i == j for j in range(len(b))])
    return np.array(rows)


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
