"""Write cross-attention with one head and its residual connection, `Across(model_dim)`,
called with x (B, T, D) and memory (B, S, D); it returns (B, T, D). Trainable
parameters: query_weight, key_weight and value_weight, each (D, D). The gradients are
checked too. Scores may be as large as several hundred.

1. Queries come from x; keys and values come from the memory.
2. Scores are (B, T, S), divided by the root of the width D.
3. x + softmax(q @ k^T / sqrt(D)) @ (memory @ value_weight)
"""

title = "cross-attention as a layer"
level, minutes = 3, 20
kind = "module"
before = "09.look_across"
usual = "overflow unscaled width queries"


def cases(rng):
    def draw(B, T, S, D, size=1.0):
        x, memory = rng.normal(size=(B, T, D)), size * rng.normal(size=(B, S, D))
        names = ("query_weight", "key_weight", "value_weight")
        inputs = tuple(each.astype(np.float32) for each in (x, memory))
        return (D,), inputs, layer_weights(rng, **dict.fromkeys(names, (D, D)))

    def large(sizes, inputs, weights):
        return sizes, inputs, steep(weights, *inputs)

    return [
        *sized(draw, (3, 3, 3, 3), (2, 5, 3, 7)),
        Case("a memory of size 3", draw(2, 3, 5, 7, size=3.0)),
        Case("an axis of size 1", draw(1, 3, 1, 5)),
        Case("one word is written", draw(2, 1, 5, 3)),
        Case("scores of several hundred", large(*draw(2, 3, 7, 5))),
    ]


# %% solution
def across(x, memory, query_weight, key_weight, value_weight):
    query, key = x @ query_weight, memory @ key_weight
    score = query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[2])
    return x + softmax(score) @ (memory @ value_weight)


# %% solution: torch
class Across(torch.nn.Module):
    def __init__(self, model_dim):
        super().__init__()
        ...  # three (D, D): torch.nn.Parameter
        for name in ("query", "key", "value"):
            start = torch.randn(model_dim, model_dim) / 4
            own = torch.nn.Parameter(start)
            setattr(self, name + "_weight", own)

    def forward(self, x, memory):
        ...  # (B, T, D), (B, S, D); return (B, T, D)
        query, key = x @ self.query_weight, memory @ self.key_weight
        score = query @ key.mT / query.shape[-1] ** 0.5
        weights = torch.softmax(score, dim=-1)
        return x + weights @ (memory @ self.value_weight)


# %% solution: tf
class Across(keras.layers.Layer):
    def __init__(self, model_dim):
        super().__init__()
        ...  # three (D, D): self.add_weight
        shape = (model_dim, model_dim)
        self.query_weight = self.add_weight(shape)
        self.key_weight = self.add_weight(shape)
        self.value_weight = self.add_weight(shape)

    def call(self, x, memory):
        ...  # (B, T, D), (B, S, D); return (B, T, D)
        query, key = x @ self.query_weight, memory @ self.key_weight
        score = tf.matmul(query, key, transpose_b=True)
        weights = tf.nn.softmax(score / query.shape[-1] ** 0.5)
        return x + weights @ (memory @ self.value_weight)


# %% mistake: the residual connection is missing: x is added at the end
return softmax(score) @ (memory @ value_weight)
# %% mistake: the values are of the memory without their map
return x + softmax(score) @ memory
# %% mistake: the keys go without their map
query, key = x @ query_weight, memory
# %% mistake: the queries go without their map
query, key = x, memory @ key_weight
# %% mistake: the keys are of what is written; they should be of the memory
query, key = x @ query_weight, x @ key_weight
# %% mistake: the residual connection is the query; it should be x
return query + softmax(score) @ (memory @ value_weight)
# %% mistake: the residual connection halves the sum
return (x + softmax(score) @ (memory @ value_weight)) / 2
# %% mistake: the maps of queries and keys are exchanged
query, key = x @ key_weight, memory @ query_weight
