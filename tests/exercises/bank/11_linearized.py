# %% recurrent, right: numpy 2
def f(q, k, v):
    q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    state = np.cumsum(k[:, :, None] * v[:, None], axis=0)
    return np.einsum("tk,tkv->tv", q, state) / (q * k.cumsum(0)).sum(1)[:, None]


# %% recurrent, right: torch
def f(q, k, v):
    q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))
    state = (k[:, :, None] * v[:, None]).cumsum(0)
    return torch.einsum("tk,tkv->tv", q, state) / (q * k.cumsum(0)).sum(1)[:, None]


# %% recurrent, right: torch 2
def f(q, k, v):
    q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))
    S, z, out = torch.zeros(k.shape[1], v.shape[1]), torch.zeros(k.shape[1]), []
    for t in range(len(q)):
        S = S + torch.outer(k[t], v[t])
        z = z + k[t]
        out.append(q[t] @ S / (q[t] @ z))
    return torch.stack(out)


# %% chunks, right: torch
def f(q, k, v, size):
    pairs = (q @ k.T).tril()
    return pairs @ v / pairs.sum(1, keepdim=True)


# %% chunks, right: tf
def f(q, k, v, size):
    pairs = tf.linalg.band_part(tf.matmul(q, k, transpose_b=True), -1, 0)
    return pairs @ v / tf.reduce_sum(pairs, 1, keepdims=True)


# %% delta, right: tf
def f(q, k, v, b, a):
    S, out = tf.zeros((k.shape[1], v.shape[1]), k.dtype), []
    for t in range(q.shape[0]):
        S = a[t] * S
        missing = v[t] - tf.linalg.matvec(S, k[t], transpose_a=True)
        S = S + b[t] * k[t][:, None] * missing
        out.append(tf.linalg.matvec(S, q[t], transpose_a=True))
    return tf.stack(out)


# %% delta, right: numpy 2
def f(q, k, v, b, a):
    from attn_course.reference import delta_rule_attention

    return delta_rule_attention(q, k, v, b, decay=a)[0]


# %% delta, right: torch
def f(q, k, v, b, a):
    S = torch.zeros(k.shape[1], v.shape[1], dtype=k.dtype)
    out = []
    for t in range(len(q)):
        erase = torch.eye(k.shape[1], dtype=k.dtype)
        erase = erase - b[t] * torch.outer(k[t], k[t])
        S = a[t] * erase @ S + b[t] * torch.outer(k[t], v[t])
        out.append(q[t] @ S)
    return torch.stack(out)


# %% translated, right: torch
def f(q, k, v, g, beta):
    q, k = (x / x.norm(dim=1, keepdim=True) for x in (q, k))
    S, out = torch.zeros(k.shape[1], v.shape[1], dtype=k.dtype), []
    for t in range(len(q)):
        S = S * g[t].exp()
        S = S + torch.outer(k[t], (v[t] - k[t] @ S) * beta[t])
        out.append(q[t] @ S / q.shape[1] ** 0.5)
    return torch.stack(out)


# %% translated, right: numpy 2
def f(q, k, v, g, beta):
    from attn_course.reference import delta_rule_attention

    q, k = (x / (x**2).sum(1, keepdims=True) ** 0.5 for x in (q, k))
    return delta_rule_attention(q, k, v, beta, decay=np.exp(g))[0] / q.shape[1] ** 0.5


# %% overwrite, right: torch
def f(a, b, c):
    one, two = torch.tensor([1.0, 0.0]), torch.tensor([c, (1 - c * c) ** 0.5])
    state = one * a
    return one @ (state + two * (b - two @ state))


# %% overwrite, right: numpy 2
lambda a, b, c: (1 - c * c) * a + c * b


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, K, V):
        super().__init__()
        for name, shape in (("query", (D, K)), ("key", (D, K)), ("value", (D, V)), ("gate", (D,))):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.zeros(shape)))

    def forward(self, x):
        q, k, v = x @ self.query_weight, x @ self.key_weight, x @ self.value_weight
        g = torch.nn.functional.logsigmoid(x @ self.gate_weight).cumsum(1)
        left = (g[:, :, None] - g[:, None]).exp().tril()
        return (q @ k.mT * left) @ v


# %% layer, wrong
self.query_weight, self.own_weight = new(D, K), new(D, K)
query, key = x @ self.query_weight, x @ self.own_weight
# %% layer, wrong
value = x.detach() @ self.value_weight
