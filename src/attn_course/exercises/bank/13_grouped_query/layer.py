"""Write grouped-query self-attention as a layer, `Grouped(model_dim, num_heads,
num_kv_heads)`, called with x (B, T, D), not causal; it returns (B, T, D). Heads have
width K = D / num_heads. Trainable, without biases: query_weight and output_weight (D,
D), key_weight and value_weight (D, num_kv_heads * K). The gradients are checked too.
Scores may be as large as several hundred.

1. Four maps; then an axis for groups, and one for the heads of a group.
2. query (B, T, G, H / G, K), key and value (B, T, G, K).
3. score = einsum('btghk,bsgk->bghts', query, key) / K ** 0.5
"""

title = "grouped-query attention as a layer"
level, minutes = 3, 25
kind = "module"
before = "06.layer, 13.grouped"
usual = "overflow unscaled queries"


def cases(rng):
    def draw(B, T, G, group, K):
        D = G * group * K
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        widths = {"query": D, "key": G * K, "value": G * K, "output": D}
        shapes = {f"{name}_weight": (D, width) for name, width in widths.items()}
        return (D, G * group, G), (x,), layer_weights(rng, **shapes)

    def large(sizes, inputs, weights):
        """With one head alone."""
        return sizes, inputs, steep(weights, inputs[0], inputs[0])

    return [
        *sized(draw, (3, 3, 3, 3, 3), (2, 7, 3, 2, 5), (1, 5, 2, 2, 3)),
        Case("one key head", draw(2, 5, 1, 3, 2)),
        Case("as many key heads as heads", draw(2, 5, 3, 1, 2)),
        Case("heads of width 1", draw(2, 3, 2, 3, 1)),
        Case("scores of several hundred", large(*draw(2, 7, 1, 1, 5))),
    ]


# %% solution
def layer(x, query_weight, key_weight, value_weight, output_weight, sizes):
    (B, T, D), (_, H, G) = x.shape, sizes
    query = (x @ query_weight).reshape(B, T, G, H // G, -1)
    key = (x @ key_weight).reshape(B, T, G, -1)
    value = (x @ value_weight).reshape(B, T, G, -1)
    score = np.einsum("btghk,bsgk->bghts", query, key) / np.sqrt(D // H)
    context = np.einsum("bghts,bsgk->btghk", softmax(score), value)
    return context.reshape(B, T, D) @ output_weight


# %% solution: torch
class Grouped(torch.nn.Module):
    def __init__(self, model_dim, num_heads, num_kv_heads):
        super().__init__()
        ...  # four torch.nn.Parameter
        D, H, G = model_dim, num_heads, num_kv_heads
        self.sizes = H, G, D // H
        new = lambda n: torch.nn.Parameter(torch.randn(D, n) / 4)
        self.query_weight, self.output_weight = new(D), new(D)
        self.key_weight = new(G * D // H)
        self.value_weight = new(G * D // H)

    def forward(self, x):
        ...  # (B, T, D); return (B, T, D)
        H, G, K = self.sizes
        query = x @ self.query_weight
        query = query.unflatten(-1, (G, H // G, K))
        key = (x @ self.key_weight).unflatten(-1, (G, K))
        value = (x @ self.value_weight).unflatten(-1, (G, K))
        score = torch.einsum("btghk,bsgk->bghts", query, key)
        weights = torch.softmax(score / K**0.5, dim=-1)
        context = torch.einsum("bghts,bsgk->btghk", weights, value)
        return context.flatten(2) @ self.output_weight


# %% solution: tf
class Grouped(keras.layers.Layer):
    def __init__(self, model_dim, num_heads, num_kv_heads):
        super().__init__()
        ...  # four times self.add_weight
        D, H, G = model_dim, num_heads, num_kv_heads
        self.sizes = D, H, G, D // H
        new = lambda n: self.add_weight((D, n))
        self.query_weight, self.output_weight = new(D), new(D)
        self.key_weight = new(G * D // H)
        self.value_weight = new(G * D // H)

    def call(self, x):
        ...  # (B, T, D); return (B, T, D)
        (B, T, _), (D, H, G, K) = tf.unstack(tf.shape(x)), self.sizes
        query = tf.reshape(x @ self.query_weight, (B, T, G, H // G, K))
        key = tf.reshape(x @ self.key_weight, (B, T, G, K))
        value = tf.reshape(x @ self.value_weight, (B, T, G, K))
        score = tf.einsum("btghk,bsgk->bghts", query, key)
        weights = tf.nn.softmax(score / K**0.5)
        context = tf.einsum("bghts,bsgk->btghk", weights, value)
        return tf.reshape(context, (B, T, D)) @ self.output_weight


# %% mistake: the heads are interleaved over the groups
query = (x @ query_weight).reshape(B, T, H // G, G, -1).swapaxes(2, 3)
return context.swapaxes(2, 3).reshape(B, T, D) @ output_weight
# %% mistake: the scale is the root of a head's own width, D / H
score = np.einsum("btghk,bsgk->bghts", query, key) / np.sqrt(D)
# %% mistake: the output matrix is missing
return context.reshape(B, T, D)
# %% mistake: the values are of the keys' map
value = (x @ key_weight).reshape(B, T, G, -1)
# %% mistake: every head has the first group's keys and values
key = (x @ key_weight).reshape(B, T, G, -1)[:, :, [0] * G]
value = (x @ value_weight).reshape(B, T, G, -1)[:, :, [0] * G]
# %% mistake: every head has the first group's values
value = (x @ value_weight).reshape(B, T, G, -1)[:, :, [0] * G]
# %% mistake: keys and values are blocks of columns, one block per head
key = (x @ key_weight).reshape(B, T, -1, G).swapaxes(2, 3)
value = (x @ value_weight).reshape(B, T, -1, G).swapaxes(2, 3)
# %% mistake: the output matrix is transposed
return context.reshape(B, T, D) @ output_weight.T
# %% mistake: it is added to x; that is a residual connection
return x + context.reshape(B, T, D) @ output_weight
# %% mistake: it is causal; here every position sees all
score = np.einsum("btghk,bsgk->bghts", query, key) / np.sqrt(D // H)
context = np.einsum(
    "bghts,bsgk->btghk", softmax(np.where(np.tri(T, dtype=bool), score, -np.inf)), value
)
