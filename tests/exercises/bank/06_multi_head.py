# %% split_heads, right: numpy 2
lambda x, n: np.stack(np.split(x, n, axis=2), axis=1)
# %% split_heads, right: torch
lambda x, n: x.unflatten(-1, (n, -1)).transpose(1, 2)


# %% two_heads, right: tf
def f(x, a, b, c, o):
    q, k, v = (tf.stack(tf.split(x @ each, 2, axis=1)) for each in (a, b, c))
    w = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / k.shape[2] ** 0.5)
    return tf.concat(tf.unstack(w @ v), 1) @ o


# %% two_heads, right: torch
def f(x, a, b, c, o):
    split = lambda y: y.unflatten(-1, (2, -1)).transpose(0, 1)
    y = torch.nn.functional.scaled_dot_product_attention(split(x @ a), split(x @ b), split(x @ c))
    return y.transpose(0, 1).flatten(1) @ o


# %% additive_heads, right: torch
def f(q, k, v, w):
    s = torch.einsum("htsk,hk->hts", torch.tanh(q[:, :, None] + k[:, None]), w)
    return torch.softmax(s, -1) @ v


# %% parameters, right: torch
def f(D, H, bias):
    layer = torch.nn.MultiheadAttention(D, H, bias=bias)
    return sum(each.numel() for each in layer.parameters())


# %% parameters, right: numpy 2
lambda D, H, bias: 4 * D * D + (4 * D if bias else 0)


# %% parameters, right: numpy 3
def f(D, H, bias):
    K = D // H
    return 3 * H * (D + bias) * K + (H * K + bias) * D


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, H):
        super().__init__()
        for name in ("query", "key", "value", "output"):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, D)))
        self.H = H

    def forward(self, x):
        B, T, D = x.shape
        maps = self.query_weight, self.key_weight, self.value_weight
        q, k, v = ((x @ w).view(B, T, self.H, -1) for w in maps)
        w = torch.softmax(torch.einsum("bthk,bshk->bhts", q, k) / (D // self.H) ** 0.5, -1)
        return torch.einsum("bhts,bshk->bthk", w, v).reshape(B, T, D) @ self.output_weight


# %% layer, wrong
score = query @ key.detach().mT / key.shape[-1] ** 0.5
# %% layer, wrong
self.query_weight, self.key = new(), new()
key = split(x @ self.key)


# %% previous_token, right: numpy
def head(N, T):
    """Keys of another basis, and twice as wide."""
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(2 * T, 2 * T)))[0][:T]
    none = np.zeros((N, 2 * T))
    query = np.concatenate([none, 90 * np.eye(T, k=-1) @ basis])
    key = np.concatenate([none, 3 * np.sqrt(T) * basis])
    return query, key, np.concatenate([3 * np.eye(N), np.zeros((T, N))]), np.eye(N)


# %% previous_token, right: numpy 2
def head(N, T):
    """Positions on a circle: two columns, turned back by one step."""
    angle = 2 * np.pi * np.arange(T) / max(T, 2)
    own = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    step = angle - 2 * np.pi / max(T, 2)
    before = np.stack([np.cos(step), np.sin(step)], axis=1)
    value = np.concatenate([np.eye(N), np.zeros((T, N))])
    none = np.zeros((N, 2))
    return np.concatenate([none, 1e4 * before]), np.concatenate([none, own]), value, np.eye(N)


# %% previous_token, wrong: it raised TypeError: nothing is returned
lambda N, T: 4 * (None,)


# %% previous_token, wrong: it looks: zeros
lambda N, T: 3 * (np.zeros((N + T, N)),) + (np.eye(N),)
# %% previous_token, wrong: return four matrices: three are
lambda N, T: 3 * (np.ones((N + T, N)),)
# %% previous_token, wrong: return four matrices: one is
lambda N, T: np.eye(N)
# %% previous_token, wrong: expected
lambda N, T: 4 * (np.eye(N),)


# %% previous_token, wrong: it looks at random
def head(N, T):
    rng = np.random.default_rng(0)
    return *(9 * rng.normal(size=(N + T, N)) for _ in range(3)), np.eye(N)


# %% previous_token, wrong: the widths of query and key differ
def head(N, T):
    one = np.ones((N + T, N))
    return one, one[:, :-1], one, np.eye(N)


# %% previous_token, wrong: the head looks at itself and copies itself
def head(N, T):
    own = 99 * np.eye(N + T)
    return own, own, np.eye(N + T, N), np.eye(N)


# %% induction, right: numpy
def head(N):
    """Another basis, the factor at the queries, values twice as large."""
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(N, N)))[0]
    none = np.zeros((N, N))
    query, key = np.concatenate([300 * basis, none]), np.concatenate([none, basis])
    return query, key, np.concatenate([2 * basis, none]), basis.T


# %% induction, right: numpy 2
def head(N):
    """Tokens on a circle: two columns for the keys."""
    angle = 2 * np.pi * np.arange(N) / N
    circle, none = np.stack([np.cos(angle), np.sin(angle)], axis=1), np.zeros((N, 2))
    value = np.concatenate([np.eye(N), np.zeros((N, N))])
    return np.concatenate([1e5 * circle, none]), np.concatenate([none, circle]), value, np.eye(N)


# %% induction, wrong: it raised TypeError: nothing is returned
lambda N: 4 * (None,)


# %% induction, wrong: it looks: zeros
lambda N: 3 * (np.zeros((2 * N, N)),) + (np.eye(N),)
# %% induction, wrong: return four matrices: three are
lambda N: 3 * (np.ones((2 * N, N)),)
# %% induction, wrong: return four matrices: one is
lambda N: np.eye(N)
# %% induction, wrong: expected
lambda N: 4 * (np.eye(N),)


# %% induction, wrong: it looks at random
def head(N):
    rng = np.random.default_rng(0)
    return *(9 * rng.normal(size=(2 * N, N)) for _ in range(3)), np.eye(N)


# %% induction, wrong: the widths of query and key differ
def head(N):
    one = np.ones((2 * N, N))
    return one, one[:, :-1], one, np.eye(N)


# %% induction, wrong: the head looks at itself and copies itself
def head(N):
    own = 99 * np.eye(2 * N)
    return own, own, np.eye(2 * N, N), np.eye(N)
