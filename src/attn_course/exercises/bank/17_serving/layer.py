"""Write self-attention over one row of tokens that belong to several texts, as a layer,
`Packed(model_dim, num_heads)`, called with x (T, D) and text (T), whole numbers; it
returns (T, D). A token sees itself and the tokens before it of its own text, and no
others; the texts may stand mixed. Heads have width K = D / num_heads. Trainable, without
biases, each (D, D): query_weight, key_weight, value_weight, output_weight. The gradients
are checked too. Scores may be as large as several hundred.

1. It is multi-head attention without a batch; only the mask is new.
2. Two tokens are of one text where text[:, None] == text[None].
3. mask = same & np.tri(T, dtype=bool); a blocked score is -inf
"""

title = "one row, many texts: attention as a layer"
level, minutes = 3, 25
kind = "module"
before = "06.layer, 04.attention"
usual = "overflow unscaled"


def cases(rng):
    def draw(T, H, K, texts):
        D = H * K
        x = rng.normal(size=(T, D)).astype(np.float32)
        names = ("query_weight", "key_weight", "value_weight", "output_weight")
        weights = layer_weights(rng, **dict.fromkeys(names, (D, D)))
        return (D, H), (x, np.array(texts)), weights

    def large(sizes, inputs, weights):
        """With one head alone."""
        return sizes, inputs, steep(weights, inputs[0][None], inputs[0][None])

    return [
        Case("equal sizes", draw(3, 3, 3, [0, 0, 1])),
        Case("sizes of different primes", draw(7, 2, 5, [0, 0, 0, 1, 1, 2, 2])),
        Case("texts stand mixed", draw(11, 2, 3, [4, 7, 4, 4, 7, 1, 7, 4, 1, 1, 7])),
        Case("an axis of size 1", draw(5, 1, 3, [2, 2, 1, 1, 1])),
        Case("an axis of size 1", draw(1, 2, 3, [0])),
        Case("one text", draw(5, 3, 2, [0] * 5)),
        Case("each token a text", draw(5, 3, 2, [3, 1, 4, 5, 9])),
        Case("scores of several hundred", large(*draw(7, 1, 5, [0, 1, 1, 0, 0, 1, 0]))),
    ]


# %% solution
def layer(x, text, query_weight, key_weight, value_weight, output_weight, sizes):
    (T, D), H = x.shape, sizes[1]
    split = lambda y: y.reshape(T, H, -1).swapaxes(0, 1)
    query, key = split(x @ query_weight), split(x @ key_weight)
    score = query @ key.swapaxes(1, 2) / np.sqrt(D // H)
    mask = (text[:, None] == text) & np.tri(T, dtype=bool)
    weights = softmax(np.where(mask, score, -np.inf))
    context = weights @ split(x @ value_weight)
    return context.swapaxes(0, 1).reshape(T, D) @ output_weight


# %% solution: torch
class Packed(torch.nn.Module):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # four torch.nn.Parameter
        D, self.num_heads = model_dim, num_heads
        new = lambda: torch.nn.Parameter(torch.randn(D, D) / 4)
        self.query_weight, self.key_weight = new(), new()
        self.value_weight, self.output_weight = new(), new()

    def forward(self, x, text):
        ...  # (T, D) and (T); return (T, D)
        (T, D), H = x.shape, self.num_heads
        split = lambda y: y.reshape(T, H, D // H).transpose(0, 1)
        query = split(x @ self.query_weight)
        key = split(x @ self.key_weight)
        score = query @ key.mT / (D // H) ** 0.5
        mask = (text[:, None] == text).tril()
        score = score.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(score, dim=-1)
        context = weights @ split(x @ self.value_weight)
        return context.transpose(0, 1).reshape(T, D) @ self.output_weight


# %% solution: tf
class Packed(keras.layers.Layer):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # four times self.add_weight
        self.sizes = D, _ = model_dim, num_heads
        new = lambda: self.add_weight((D, D))
        self.query_weight, self.key_weight = new(), new()
        self.value_weight, self.output_weight = new(), new()

    def call(self, x, text):
        ...  # (T, D) and (T); return (T, D)
        T, (D, H) = tf.shape(x)[0], self.sizes
        apart = lambda y: tf.reshape(y, (T, H, D // H))
        split = lambda y: tf.transpose(apart(y), (1, 0, 2))
        query = split(x @ self.query_weight)
        key = split(x @ self.key_weight)
        score = tf.matmul(query, key, transpose_b=True)
        score = score / (D // H) ** 0.5
        place = tf.range(T)
        mask = (text[:, None] == text) & (place[:, None] >= place)
        weights = tf.nn.softmax(tf.where(mask, score, -np.inf))
        context = weights @ split(x @ self.value_weight)
        context = tf.reshape(tf.transpose(context, (1, 0, 2)), (T, D))
        return context @ self.output_weight


# %% mistake: it must be causal: no token sees a later one
mask = text[:, None] == text
# %% mistake: no token sees another text's
mask = np.tri(T, dtype=bool)
# %% mistake: the mask is turned round: a token sees those before it
mask = (text[:, None] == text) & np.tri(T, dtype=bool).T
# %% mistake: a text goes on where it left off: the order of the texts says nothing
mask = (text[:, None] >= text) & np.tri(T, dtype=bool)
# %% mistake: the scale is the root of a head's own width, D / H
score = query @ key.swapaxes(1, 2) / np.sqrt(D)
# %% mistake: the output matrix is missing
return context.swapaxes(0, 1).reshape(T, D)
# %% mistake: the output matrix is transposed
return context.swapaxes(0, 1).reshape(T, D) @ output_weight.T
# %% mistake: the heads are not put back in order
return context.reshape(T, D) @ output_weight
# %% mistake: the values are of the keys' map
context = weights @ split(x @ key_weight)
# %% mistake: it is added to x; that is a residual connection
return x + context.swapaxes(0, 1).reshape(T, D) @ output_weight
