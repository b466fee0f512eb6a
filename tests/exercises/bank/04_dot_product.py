# %% attention, right: torch
def f(q, k, v, m):
    s = (q @ k.T / k.shape[1] ** 0.5).masked_fill(~m, -torch.inf)
    return torch.softmax(s, 1).nan_to_num() @ v


# %% attention, right: torch 2
def f(q, k, v, m):
    out = torch.zeros(len(q), v.shape[1])
    for i in range(len(q)):
        if m[i].any():
            s = k[m[i]] @ q[i] / k.shape[1] ** 0.5
            out[i] = torch.softmax(s, 0) @ v[m[i]]
    return out


# %% attention, right: tf
def f(q, k, v, m):
    s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5
    w = tf.nn.softmax(tf.where(m, s, -np.inf))
    w = tf.where(tf.reduce_any(m, 1, keepdims=True), w, tf.zeros_like(w))
    return w @ v


# %% attention, right: numpy 2
def f(q, k, v, m):
    s = q @ k.T / np.sqrt(k.shape[1])
    s = np.where(m, s, -1e300)
    e = np.exp(s - s.max(1, keepdims=True)) * m
    n = e.sum(1, keepdims=True)
    return np.divide(e, n, out=np.zeros_like(e), where=n > 0) @ v


# %% with_cache, right: torch
def f(q, k, v):
    m = torch.ones(len(q), len(k), dtype=torch.bool).tril(len(k) - len(q))
    return torch.softmax((q @ k.T / k.shape[1] ** 0.5).masked_fill(~m, -torch.inf), 1) @ v


# %% with_cache, right: tf
def f(q, k, v):
    T, S = q.shape[0], k.shape[0]
    m = tf.range(S) <= tf.range(T)[:, None] + S - T
    s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5
    return tf.nn.softmax(tf.where(m, s, -np.inf)) @ v


# %% with_cache, right: numpy 2
def f(q, k, v):
    out = []
    for i, one in enumerate(q):
        n = len(k) - len(q) + i + 1
        s = k[:n] @ one / np.sqrt(k.shape[1])
        e = np.exp(s - s.max())
        out.append(e / e.sum() @ v[:n])
    return np.array(out)


# %% with_cache, right: tf 2
def f(q, k, v):
    T, S = q.shape[0], k.shape[0]
    m = tf.cast(tf.range(S) > tf.range(T)[:, None] + S - T, tf.float32)
    s = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(k.shape[1], tf.float32))
    return tf.nn.softmax(s - 1e9 * m) @ v


# %% allowed, right: numpy 2
def f(p, T):
    S = p.shape[1]
    return np.logical_and(p[:, None], np.tri(T, S, S - T, dtype=bool))


# %% allowed, right: torch
def f(p, T):
    S = p.shape[1]
    return p[:, None] & torch.ones(T, S).tril(S - T).bool()


# %% entropy, right: torch
lambda w: torch.special.entr(w).sum(1).mean()
# %% entropy, right: tf
lambda w: -tf.reduce_mean(tf.reduce_sum(tf.math.xlogy(w, w), 1))
# %% entropy, right: numpy 2
lambda w: np.mean([-sum(x * np.log(x) for x in row if x > 0) for row in w])


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D):
        super().__init__()
        self.query = torch.nn.Parameter(torch.zeros(D))

    def forward(self, m, mask):
        q = self.query.expand(len(m), 1, -1)
        return torch.nn.functional.scaled_dot_product_attention(q, m, m, mask[:, None])[:, 0]


# %% layer, wrong
score = memory @ self.query.detach() / memory.shape[-1] ** 0.5
# %% layer, wrong
self.asked = torch.nn.Parameter(torch.randn(model_dim))
score = memory @ self.asked / memory.shape[-1] ** 0.5
# %% layer, wrong
self.query = torch.nn.Parameter(torch.randn(model_dim, 1))
# %% layer, wrong
return (weights[:, None] @ memory.detach())[:, 0]
# %% layer, wrong
weights = score.exp() / score.exp().sum(-1, keepdim=True)


# %% test_attention, right: numpy
def test(attention):
    """Properties alone: no second attention stands beside the first."""
    rng = np.random.default_rng(1)
    for scale in (1.0, 400.0):
        q, k, v = scale * rng.normal(size=(4, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
        mask = rng.random((4, 6)) < 0.6
        mask[:, 0], mask[3] = True, False
        out = attention(q, k, v, mask)
        assert out.shape == (4, 2) and np.allclose(out[3], 0)
        assert np.allclose(attention(q, k, np.ones((6, 2)), mask)[:3], 1)
        for t in range(3):
            own = attention(q[t : t + 1], k[mask[t]], v[mask[t]], np.ones((1, mask[t].sum()), bool))
            assert np.allclose(own[0], out[t])
    one, two = np.array([[3.0, 4.0, 0.0, 0.0]]), np.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0]])
    out = attention(one, two, np.eye(2), np.ones((1, 2), bool))
    assert np.allclose(out, [[1 / (1 + np.exp(1.5)), 1 / (1 + np.exp(-1.5))]])
    k = np.array([[-9e4, 0, 0, 0], [-9e4, 1, 0, 0], [0, 0, 0, 0]])
    out = attention(one, k, np.eye(3), np.array([[True, True, False]]))
    assert np.allclose(out, [[1 / (1 + np.exp(2)), 1 / (1 + np.exp(-2)), 0]])
    v = np.array([[1.0, 2, 3, 4, 5]] * 3)
    assert np.allclose(attention(one, k, v, np.ones((1, 3), bool)), v[:1])


# %% test_attention, right: numpy 2
def test(attention):
    """By loops over numbers."""
    rng = np.random.default_rng(3)
    for add, by in ((0, 1), (-20000, 1), (0, 900)):
        q, k, v = rng.normal(size=(2, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 4))
        q[:, 0], k[:, 0] = 1, add
        q = q * by
        mask = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0]], bool)
        kept = [0, 2, 3]
        s = np.array([sum(q[0] * k[j]) / 3**0.5 for j in kept])
        e = np.exp(s - max(s))
        wanted = sum(w * v[j] for w, j in zip(e / e.sum(), kept))
        found = attention(q, k, v, mask)
        assert np.abs(found - np.array([wanted, 0 * wanted])).max() < 1e-6


# %% test_attention, wrong: it finds 0 of 24: nothing is tested
def test(attention):
    pass


# %% test_attention, wrong: it refuses a right function: everything is refused
def test(attention):
    assert False


# %% test_attention, wrong: it finds: a test of the shape alone
def test(attention):
    q = np.ones((2, 3))
    assert attention(q, q, q, np.ones((2, 2), bool)).shape == (2, 3)


# %% test_attention, wrong: it refuses a right function: by a name that is not there
def test(attention):
    assert attention.__name__ == "attention"


# %% test_attention, wrong: it finds: by the file that it comes from
def test(attention):
    assert "mistakes" not in attention.__code__.co_filename


# %% test_attention, wrong: it refuses a right function: by its source
def test(attention):
    assert hasattr(attention, "source")


# %% test_attention, wrong: it refuses a right function: the first one passes, whatever it is
def test(attention, seen=[]):
    seen.append(attention)
    assert len(seen) == 1


# %% test_attention, wrong: it refuses a right function: every other one is refused
def test(attention, seen=[]):
    seen.append(attention)
    assert len(seen) % 2


# %% test_attention, wrong: it refuses a right function: rounding is no mistake
def test(attention):
    q, m = np.arange(6.0).reshape(2, 3), np.ones((2, 2), bool)
    s = q @ q.T / np.sqrt(3)
    e = np.exp(s - s.max(1, keepdims=True))
    assert (attention(q, q, q, m) == e / e.sum(1, keepdims=True) @ q).all()


# %% test_attention, wrong: it refuses a right function: an empty row is a mean there
def test(attention):
    q = np.ones((2, 3))
    assert np.allclose(attention(q, q, q, np.zeros((2, 2), bool)), q)


# %% test_attention, wrong: it finds: sums of weights alone
def test(attention):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    assert np.allclose(attention(q, k, np.ones((5, 2)), np.ones((3, 5), bool)), 1)


# %% test_attention, wrong: it refuses a right function: what it raises is no AssertionError
def test(attention):
    raise SystemExit(0)


# %% test_attention, wrong: it refuses a right function: a name is misspelled
def test(attention):
    assert np.alclose(1, 1)


# %% test_attention, wrong: it finds 0 of 24: the place of the case is read in the frames above
def test(attention):
    import sys

    frame = sys._getframe()
    while frame is not None:
        for name, value in frame.f_locals.items():
            assert name != "place" or value < 2
            assert name != "case" or value.arguments[1] < 2
        frame = frame.f_back


# %% causal_call, right: torch
def returned(q, k, v):
    out = np.zeros((*q.shape[:2], v.shape[2]))
    for t in range(q.shape[1]):
        s = (k[:, : t + 1] * q[:, t : t + 1]).sum(2) / q.shape[2] ** 0.5
        out[:, t] = (softmax(s)[:, :, None] * v[:, : t + 1]).sum(1)
    return out


# %% causal_call, right: tf
def returned(q, k, v):
    out = np.zeros((*q.shape[:2], v.shape[2]))
    for t in range(q.shape[1]):
        s = (k[:, : t + 1] * q[:, t : t + 1]).sum(2)
        out[:, t] = (softmax(s)[:, :, None] * v[:, : t + 1]).sum(1)
    return out


# %% causal_call, wrong: not done yet
lambda q, k, v: None
# %% causal_call, wrong: it calls the library: the call itself
lambda q, k, v: scaled_dot_product_attention(*(torch.from_numpy(x) for x in (q, k, v)), is_causal=True)
# %% causal_call, wrong: it calls the library: the other one
lambda q, k, v: keras.layers.Attention()([q, v, k], use_causal_mask=True).numpy()
# %% causal_call, wrong: it calls the library: part of it
lambda q, k, v: torch.softmax(torch.tensor(q @ k.swapaxes(1, 2)), -1).numpy() @ v
# %% causal_call, wrong: it calls the library: for the mask alone
lambda q, k, v: softmax(np.where(tf.ones((q.shape[1], k.shape[1])), q @ k.swapaxes(1, 2), 0)) @ v
# %% causal_call, wrong: the shape is: the queries
lambda q, k, v: q[:, :, :1]
# %% causal_call, wrong: the call returns: zeros
lambda q, k, v: np.zeros((*q.shape[:2], v.shape[2]))
# %% causal_call, wrong: the call returns: not a number
lambda q, k, v: np.full((*q.shape[:2], v.shape[2]), np.nan)
# %% causal_call, wrong: the shape is: all shapes
lambda q, k, v: np.array([q.shape[0], q.shape[1], v.shape[2]])
# %% causal_call, wrong: the call returns: a mean of what is seen
lambda q, k, v: np.stack([v[:, : t + 1].mean(1) for t in range(q.shape[1])], 1)
# %% causal_call, wrong: the call returns: the last keys
lambda q, k, v: (
    softmax(np.where(np.tri(q.shape[1], k.shape[1], k.shape[1] - q.shape[1]) > 0, q @ k.swapaxes(1, 2), -1e9)) @ v
)
# %% causal_call, wrong: the call returns: no softmax
lambda q, k, v: np.tril(q @ k.swapaxes(1, 2)) @ v
# %% causal_call, wrong: the dtype is: text
lambda q, k, v: np.full((*q.shape[:2], v.shape[2]), "a")
# %% steer, right: numpy
lambda: (np.array([-0.5, 1.41]), np.array([3.0, 3.0]), np.array([-0.71, -0.7]))


# %% steer, right: numpy 2
def steer():
    angle = np.radians(108)
    milk = 1.5 * np.array([np.cos(angle), np.sin(angle)])
    return milk, (5, 5), (-1 / 2**0.5, -1 / 2**0.5)


# %% steer, wrong: one query
lambda: (0, 1.5)
# %% steer, wrong: two queries
lambda: ((-0.45, 1.43), (2, 2))
# %% steer, wrong: the keys themselves
lambda: ((0, 2), (1, 1), (-1, -1))
# %% steer, wrong: keys of three numbers
lambda: ((0, 1, 0), (1, 1, 0), (0, 0, 1))
# %% steer, wrong: too far to the left
lambda: ((-1.4, 0.5), (2, 2), (-0.7, -0.7))
# %% steer, wrong: even by having neither
lambda: ((-0.45, 1.43), (0, 0), (-0.7, -0.7))
# %% steer, wrong: drank too long
lambda: ((-0.45, 1.43), (2, 2), (-1, -1))
# %% steer, wrong: drank by turning from the cat alone
lambda: ((-0.45, 1.43), (2, 2), (-1, 0))
# %% rescue, right: numpy
lambda query, key: (query / 4, key / 4)


# %% rescue, right: numpy 2
def rescue(query, key):
    """Rows of length 1."""
    return query / np.linalg.norm(query, axis=1, keepdims=True), key


# %% rescue, wrong: unchanged
lambda query, key: (query, key)
# %% rescue, wrong: one table
lambda query, key: query / 16
# %% rescue, wrong: transposed
lambda query, key: (query.T / 16, key.T)
# %% rescue, wrong: signs alone
lambda query, key: (np.sign(query), np.sign(key))
# %% rescue, wrong: a third
lambda query, key: (query / 3, key)
