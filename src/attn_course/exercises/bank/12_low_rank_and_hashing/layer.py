"""Write a Linformer with one head as a layer, `Mixtures(model_dim, length, rank)`,
called with x (B, T, D), T at most length; it returns (B, T, D). Trainable parameters:
query_weight, key_weight, value_weight, each (D, D); key_projection and
value_projection, each (rank, length), of which a shorter input takes the first columns.
The gradients are checked too. Scores may be as large as several hundred.

1. Map, then mix the positions of keys and values, then attend.
2. key_projection[:, :T] @ (x @ key_weight) is (B, rank, D).
3. softmax(query @ mixed_key^T / sqrt(D)) @ mixed_value
"""

title = "a Linformer with one head as a layer"
level, minutes = 3, 25
kind = "module"
before = "05.layer"
usual = "overflow unscaled"


def cases(rng):
    def draw(B, T, D, more, R):
        names = ("query_weight", "key_weight", "value_weight")
        parameters = {name: rng.normal(size=(D, D)) / 2 for name in names}
        for name in ("key_projection", "value_projection"):
            parameters[name] = rng.normal(size=(R, T + more)) / 2
        parameters = {k: x.astype(np.float32) for k, x in parameters.items()}
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, T + more, R), (x,), parameters

    def large(sizes, inputs, weights):
        (x,) = inputs
        memory = weights["key_projection"][:, : x.shape[1]] @ x
        return sizes, inputs, steep(weights, x, memory)

    return [
        Case("equal sizes", draw(3, 3, 3, 0, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 0, 3)),
        Case("shorter than the projections", draw(2, 5, 3, 6, 2)),
        *sized(draw, (2, 5, 3, 2, 1), (1, 1, 3, 4, 2)),
        Case("scores of several hundred", large(*draw(2, 5, 7, 0, 3))),
    ]


# %% solution
def layer(
    x, query_weight, key_weight, value_weight, key_projection, value_projection
):  # fmt: skip
    query, T = x @ query_weight, x.shape[1]
    key = key_projection[:, :T] @ (x @ key_weight)
    value = value_projection[:, :T] @ (x @ value_weight)
    score = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2])
    return softmax(score) @ value


# %% solution: torch
class Mixtures(torch.nn.Module):
    def __init__(self, model_dim, length, rank):
        super().__init__()
        ...  # five torch.nn.Parameter
        new = lambda *shape: torch.nn.Parameter(torch.randn(shape) / 4)
        square = model_dim, model_dim
        self.query_weight = new(*square)
        self.key_weight = new(*square)
        self.value_weight = new(*square)
        self.key_projection = new(rank, length)
        self.value_projection = new(rank, length)

    def forward(self, x):
        ...  # (B, T, D); return (B, T, D)
        T, D = x.shape[1:]
        query = x @ self.query_weight
        key = self.key_projection[:, :T] @ (x @ self.key_weight)
        value = x @ self.value_weight
        value = self.value_projection[:, :T] @ value
        score = query @ key.mT / D**0.5
        return torch.softmax(score, dim=-1) @ value


# %% solution: tf
class Mixtures(keras.layers.Layer):
    def __init__(self, model_dim, length, rank):
        super().__init__()
        ...  # five times self.add_weight
        square = model_dim, model_dim
        self.query_weight = self.add_weight(square)
        self.key_weight = self.add_weight(square)
        self.value_weight = self.add_weight(square)
        self.key_projection = self.add_weight((rank, length))
        self.value_projection = self.add_weight((rank, length))

    def call(self, x):
        ...  # (B, T, D); return (B, T, D)
        T, D = tf.shape(x)[1], x.shape[2]
        query = x @ self.query_weight
        key = self.key_projection[:, :T] @ (x @ self.key_weight)
        value = x @ self.value_weight
        value = self.value_projection[:, :T] @ value
        score = tf.matmul(query, key, transpose_b=True)
        return tf.nn.softmax(score / D**0.5) @ value


# %% mistake: the scale is the root of the width of a key
score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[1])
# %% mistake: a shorter input takes the first columns, not the last
key = key_projection[:, -T:] @ (x @ key_weight)
value = value_projection[:, -T:] @ (x @ value_weight)
# %% mistake: keys and values have a projection each
value = key_projection[:, :T] @ (x @ value_weight)
# %% mistake: each query's weights add up to 1
return softmax(score, 1) @ value
# %% mistake: the values are not mapped by their matrix
value = value_projection[:, :T] @ x
# %% mistake: the scores are divided by D; it is the root of D
score = query @ key.swapaxes(1, 2) / query.shape[2]
# %% mistake: the keys are not mapped by their matrix
key = key_projection[:, :T] @ x
# %% mistake: the queries are not mapped by their matrix
query, T = x, x.shape[1]
# %% mistake: it is added to x; that is a residual connection
return x + softmax(score) @ value
