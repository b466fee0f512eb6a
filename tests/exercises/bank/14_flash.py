# %% merge, right: numpy 2
def f(m1, l1, c1, m2, l2, c2):
    m = np.maximum(m1, m2)
    e = np.exp(np.stack([m1, m2]) - m)
    c = e[0, :, None] * c1 + e[1, :, None] * c2
    return c / (e * [l1, l2]).sum(0)[:, None]


# %% merge, right: torch
def f(m1, l1, c1, m2, l2, c2):
    a = m1 + l1.log()
    b = m2 + l2.log()
    s = torch.sigmoid(a - b)
    one = torch.where(l1 > 0, 1 / l1, 0.0) * s
    two = torch.where(l2 > 0, 1 / l2, 0.0) * (1 - s)
    return one[:, None] * c1 + two[:, None] * c2


# %% tiled, right: tf
def f(q, k, v, size):
    top, c = tf.fill((q.shape[0], 1), -np.inf), tf.zeros((q.shape[0], v.shape[1]))
    for i in range(0, k.shape[0], size):
        b = tf.matmul(q, k[i : i + size], transpose_b=True) / k.shape[1] ** 0.5
        own = tf.reduce_logsumexp(b, 1, keepdims=True)
        new = tf.reduce_logsumexp(tf.concat([top, own], 1), 1, keepdims=True)
        c = tf.exp(top - new) * c + tf.exp(own - new) * (tf.nn.softmax(b) @ v[i : i + size])
        top = new
    return c


# %% tiled, right: torch
def f(q, k, v, size):
    top, c = torch.full((len(q), 1), -torch.inf), 0.0
    for own, value in zip(k.split(size), v.split(size)):
        b = q @ own.T / k.shape[1] ** 0.5
        score = b.logsumexp(1, keepdim=True)
        new = torch.logaddexp(top, score)
        c = (top - new).exp() * c + (score - new).exp() * (b.softmax(1) @ value)
        top = new
    return c


# %% tiled, right: numpy 2
lambda q, k, v, size: np.stack([softmax(k @ row / k.shape[1] ** 0.5) @ v for row in q])


# %% visited, right: torch
lambda n, c: torch.arange(1, -(-n // c) + 1).sum()
# %% visited, right: numpy 2
lambda n, c: sum(i // c + 1 for i in range(0, n, c))


# %% visited, right: numpy 3
def f(n, c):
    b = int(np.ceil(n / c))
    return int(np.tri(b).sum())


# %% backward, right: torch
def f(q, k, v, o, l, g):
    q = q.clone().requires_grad_()
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return torch.autograd.grad(out, q, g)[0]


# %% backward, right: tf
def f(q, k, v, o, l, g):
    with tf.GradientTape() as tape:
        tape.watch(q)
        w = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5)
        loss = tf.reduce_sum(w @ v * g)
    return tape.gradient(loss, q)


# %% backward, right: numpy 2
def f(q, k, v, o, l, g):
    w = softmax(q @ k.T / k.shape[1] ** 0.5)
    d = g @ v.T
    d = w * (d - (w * d).sum(1, keepdims=True))
    return d @ k / k.shape[1] ** 0.5


# %% layer, wrong
score = memory @ self.query.detach() / memory.shape[-1] ** 0.5
# %% layer, wrong
self.asked = torch.nn.Parameter(torch.randn(model_dim))
score = memory @ self.asked / memory.shape[-1] ** 0.5
# %% layer, wrong
sink = self.sink.detach().expand(len(score), 1)
# %% layer, wrong
return (weights[:, None, :-1] @ memory.detach())[:, 0]
