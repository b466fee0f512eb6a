"""Write self-attention with a window as a layer, `Near(model_dim, window)`, causal, one
head, no biases: x (B, T, D) -> (B, T, D). Trainable parameters: query_weight,
key_weight, value_weight, (D, D) each. The gradients are checked too. Scores may be as
large as several hundred.

1. Project, score, block by the distance, softmax, average.
2. back = i[:, None] - i; allowed where 0 <= back < window.
3. torch.where(allowed, score, -torch.inf), or tf.where; then softmax over the last
   axis.
"""

title = "a layer with a window"
level, minutes = 2, 20
kind = "module"
before = "10.window"
usual = "overflow afterwards zero unscaled width"


def cases(rng):
    def draw(B, T, D, w):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        names = "query_weight", "key_weight", "value_weight"
        return (D, w), (x,), layer_weights(rng, **dict.fromkeys(names, (D, D)))

    def blocked(sizes, inputs, weights):
        (x,) = inputs
        factors = 1 + np.arange(x.shape[1], dtype=np.float32) / 7
        x = x[:, :1] * factors[:, None]
        # Of a product with itself the last position is clear of all others, too.
        weights = {**weights, "key_weight": weights["query_weight"].copy()}
        along = x[:, 0] @ weights["query_weight"] @ weights["key_weight"].T
        last = 20000 * along / (along**2).sum(axis=1, keepdims=True)
        x[:, -1] = last * np.sqrt(np.float32(sizes[0]))
        # Its value is small, so that it doesn't loosen what the others are compared by.
        rest = np.linalg.qr(last.T)[0]
        weights["value_weight"] = weights["value_weight"] - rest @ (
            rest.T @ weights["value_weight"]
        )
        return sizes, (x,), weights

    def large(sizes, inputs, weights):
        (x,) = inputs
        return sizes, inputs, steep(weights, x, x, np.tri(x.shape[1], dtype=bool))

    return [
        *sized(draw, (3, 3, 3, 3), (2, 11, 5, 3), (3, 7, 2, 5), (1, 5, 3, 2)),
        Case("the largest score is blocked", blocked(*draw(2, 7, 5, 3))),
        Case("a window of 1", draw(2, 5, 3, 1)),
        Case("a window longer than the sequence", draw(2, 3, 5, 7)),
        Case("scores of several hundred", large(*draw(2, 5, 3, 5))),
    ]


# %% solution
def layer(x, query_weight, key_weight, value_weight, sizes):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    back = np.arange(x.shape[1])[:, None] - np.arange(x.shape[1])
    seen = (back >= 0) & (back < sizes[1])
    score = query @ key.swapaxes(1, 2) / np.sqrt(x.shape[2])
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% solution: torch
class Near(torch.nn.Module):
    def __init__(self, model_dim, window):
        super().__init__()
        ...  # three torch.nn.Parameter
        self.window = window
        for name in ("query", "key", "value"):
            start = torch.randn(model_dim, model_dim) / 8
            setattr(self, f"{name}_weight", torch.nn.Parameter(start))

    def forward(self, x):
        ...  # (B, T, D); return (B, T, D)
        query, key = x @ self.query_weight, x @ self.key_weight
        i = torch.arange(x.shape[1])
        back = i[:, None] - i
        seen = (back >= 0) & (back < self.window)
        score = query @ key.mT / x.shape[2] ** 0.5
        score = torch.where(seen, score, -torch.inf)
        return torch.softmax(score, -1) @ (x @ self.value_weight)


# %% solution: tf
class Near(keras.layers.Layer):
    def __init__(self, model_dim, window):
        super().__init__()
        ...  # self.add_weight
        self.window, size = window, (model_dim, model_dim)
        self.query_weight = self.add_weight(size)
        self.key_weight = self.add_weight(size)
        self.value_weight = self.add_weight(size)

    def call(self, x):
        ...  # (B, T, D); return (B, T, D)
        query, key = x @ self.query_weight, x @ self.key_weight
        i = tf.range(tf.shape(x)[1])  # known when it runs
        back = i[:, None] - i
        seen = (back >= 0) & (back < self.window)
        score = tf.matmul(query, key, transpose_b=True)
        score = score / x.shape[2] ** 0.5
        score = tf.where(seen, score, -np.inf)
        return tf.nn.softmax(score) @ (x @ self.value_weight)


# %% mistake: the window has one key too many: its own position counts
seen = (back >= 0) & (back <= sizes[1])
# %% mistake: the future is seen
seen = back < sizes[1]
# %% mistake: there is no window
seen = back >= 0
# %% mistake: the window looks ahead
seen = (back <= 0) & (back > -sizes[1])
# %% mistake: the window has one key too few: it counts its own position
seen = (back >= 0) & (back < sizes[1] - 1) | (back == 0)
# %% mistake: the window looks to both sides; it is causal
seen = np.abs(back) < sizes[1]
# %% mistake: the mask is inverted: True may attend
return softmax(np.where(seen, -np.inf, score)) @ value
# %% mistake: x itself is averaged, not its values
return softmax(np.where(seen, score, -np.inf)) @ x
