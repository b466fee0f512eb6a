"""Find the bugs; there are two, and no shape tells. In this layer a change in one
sentence changes another's output, and long sentences get weights that are too even.
`SelfAttention(model_dim, key_dim, value_dim)` takes x (B, T, D) and should return (B,
T, V). Its parameters keep their names and shapes. The gradients are checked too.

1. Add up the weights along each axis. Along which do they sum to 1?
2. What is x.shape[1], and what should the scores be divided by?
3. The softmax runs over the last axis; the scale is the root of K, the width of a key.
"""

title = "find the bugs in a layer that mixes sentences"
level, minutes = 2, 20
kind = "module"
before = "05.self_attention"
usual = "overflow unscaled rootless queries keys causal"


def cases(rng):
    def draw(B, T, D, K, V):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        sizes = {"query_weight": (D, K), "key_weight": (D, K), "value_weight": (D, V)}
        weights = layer_weights(rng, **sizes)
        return (D, K, V), (x,), weights

    large = {"query_weight": lambda weight: 500 * weight}
    return [
        *sized(
            draw, (3, 3, 3, 3, 3), (2, 7, 5, 3, 11), (1, 5, 3, 2, 7), (2, 5, 3, 1, 3)
        ),
        Case("scores of several hundred", of_layer(draw(2, 5, 7, 3, 2), large)),
    ]


# %% solution
def layer(x, query_weight, key_weight, value_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    return softmax(score) @ value


# %% solution: torch
class SelfAttention(torch.nn.Module):
    def __init__(self, model_dim, key_dim, value_dim):
        super().__init__()
        ...  # three torch.nn.Parameter
        new = lambda *size: torch.nn.Parameter(torch.randn(*size) / 4)
        self.query_weight = new(model_dim, key_dim)
        self.key_weight = new(model_dim, key_dim)
        self.value_weight = new(model_dim, value_dim)

    def forward(self, x):
        ...  # (B, T, D); return (B, T, V)
        query, key = x @ self.query_weight, x @ self.key_weight
        score = query @ key.mT / key.shape[-1] ** 0.5
        return torch.softmax(score, dim=-1) @ (x @ self.value_weight)


# %% solution: tf
class SelfAttention(keras.layers.Layer):
    def __init__(self, model_dim, key_dim, value_dim):
        super().__init__()
        ...  # three times self.add_weight
        self.query_weight = self.add_weight((model_dim, key_dim))
        self.key_weight = self.add_weight((model_dim, key_dim))
        self.value_weight = self.add_weight((model_dim, value_dim))

    def call(self, x):
        ...  # (B, T, D); return (B, T, V)
        query, key = x @ self.query_weight, x @ self.key_weight
        score = tf.matmul(query, key, transpose_b=True)
        weights = tf.nn.softmax(score / key.shape[-1] ** 0.5)
        return weights @ (x @ self.value_weight)


# %% starter: torch
score = query @ key.mT / x.shape[1] ** 0.5
return torch.softmax(score, dim=0) @ (x @ self.value_weight)
# %% starter: tf
weights = tf.nn.softmax(score / x.shape[1] ** 0.5, axis=0)
# %% mistake: the scores are divided by the root of D; it is the root of K
score = query @ key.swapaxes(1, 2) / np.sqrt(x.shape[2])
# %% mistake: queries and keys are exchanged
score = key @ query.swapaxes(1, 2) / np.sqrt(key.shape[2])
# %% mistake: the softmax runs over the batch
return softmax(score, axis=0) @ value
# %% mistake: the average runs over the queries
return softmax(score).swapaxes(1, 2) @ value
# %% mistake: it is added to x; that is a residual connection, which comes later
return x + softmax(score) @ value
# %% mistake: x itself is averaged, not its values
return softmax(score) @ x
