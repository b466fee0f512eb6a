"""Write multi-head self-attention as a layer, `Heads(model_dim, num_heads)`, called
with x (B, T, D); it returns (B, T, D). Trainable parameters, each (D, D), without
biases: query_weight, key_weight, value_weight, output_weight. Head h has the h-th block
of columns. The gradients are checked too.

1. Project, split the heads, attend, merge the heads, project.
2. Merging is splitting backwards: move the heads behind the positions, then join the
   last two axes.
3. context (B, H, T, K), its axes 1 and 2 exchanged, reshaped to (B, T, D), @
   output_weight
"""

title = "multi-head attention as a layer"
level, minutes = 3, 25
kind = "module"
before = "05.layer, 06.split_heads"
usual = "overflow unscaled queries keys causal"


def cases(rng):
    def draw(B, T, H, K):
        D = H * K
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        names = "query_weight", "key_weight", "value_weight", "output_weight"
        return (D, H), (x,), layer_weights(rng, **dict.fromkeys(names, (D, D)))

    large = {"query_weight": lambda weight: 500 * weight}
    return [
        *sized(draw, (3, 3, 3, 3), (2, 7, 3, 5), (1, 5, 2, 3)),
        Case("one head", draw(2, 5, 1, 3)),
        Case("heads of width 1", draw(2, 3, 5, 1)),
        Case("scores of several hundred", of_layer(draw(2, 5, 2, 3), large)),
    ]


# %% solution
def layer(x, query_weight, key_weight, value_weight, output_weight, sizes):
    B, T, D = x.shape
    H = sizes[1]
    maps = (query_weight, key_weight, value_weight)
    query, key, value = ((x @ w).reshape(B, T, H, -1).swapaxes(1, 2) for w in maps)
    score = query @ key.swapaxes(2, 3) / np.sqrt(D // H)
    context = softmax(score) @ value
    return context.swapaxes(1, 2).reshape(B, T, D) @ output_weight


# %% solution: torch
class Heads(torch.nn.Module):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # four torch.nn.Parameter
        new = lambda: torch.nn.Parameter(torch.randn(model_dim, model_dim) / 4)
        self.query_weight, self.key_weight = new(), new()
        self.value_weight, self.output_weight = new(), new()
        self.num_heads = num_heads

    def forward(self, x):
        ...  # (B, T, D); return (B, T, D)
        H = self.num_heads
        split = lambda y: y.unflatten(-1, (H, -1)).transpose(1, 2)
        query = split(x @ self.query_weight)
        key = split(x @ self.key_weight)
        value = split(x @ self.value_weight)
        score = query @ key.mT / key.shape[-1] ** 0.5
        context = torch.softmax(score, dim=-1) @ value
        return context.transpose(1, 2).flatten(2) @ self.output_weight


# %% solution: tf
class Heads(keras.layers.Layer):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        new = lambda: self.add_weight((model_dim, model_dim))
        self.query_weight, self.key_weight = new(), new()
        self.value_weight, self.output_weight = new(), new()
        self.num_heads = num_heads

    def split(self, y):
        B, T = tf.shape(y)[0], tf.shape(y)[1]  # known when it runs
        y = tf.reshape(y, (B, T, self.num_heads, -1))
        return tf.transpose(y, (0, 2, 1, 3))

    def call(self, x):
        query = self.split(x @ self.query_weight)
        key = self.split(x @ self.key_weight)
        value = self.split(x @ self.value_weight)
        score = tf.matmul(query, key, transpose_b=True)
        width = self.query_weight.shape[0] // self.num_heads
        weights = tf.nn.softmax(score / width**0.5)
        context = tf.transpose(weights @ value, (0, 2, 1, 3))
        return tf.reshape(context, tf.shape(x)) @ self.output_weight


# %% starter: tf
class Heads(keras.layers.Layer):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # four times self.add_weight

    def call(self, x): ...  # (B, T, D); return (B, T, D)


# %% mistake: the scale is the root of a head's own width, D / H
score = query @ key.swapaxes(2, 3) / np.sqrt(D)
# %% mistake: the output matrix is missing
return context.swapaxes(1, 2).reshape(B, T, D)
# %% mistake: the output matrix is transposed
return context.swapaxes(1, 2).reshape(B, T, D) @ output_weight.T
# %% mistake: the heads are joined without moving them behind the positions
return context.reshape(B, T, D) @ output_weight
# %% mistake: positions and heads are mixed: reshape first, then move the axes
query, key, value = ((x @ w).reshape(B, H, T, -1) for w in maps)
# %% mistake: the heads are interleaved; they are blocks of columns
query, key, value = ((x @ w).reshape(B, T, -1, H).transpose(0, 3, 1, 2) for w in maps)
# %% mistake: the softmax runs over the heads
context = softmax(score, axis=1) @ value
# %% mistake: there is one head
H = 1
# %% mistake: queries and keys come from one matrix; each has its own
maps = (query_weight, query_weight, value_weight)
# %% mistake: keys and values come from one matrix; each has its own
maps = (query_weight, key_weight, key_weight)
