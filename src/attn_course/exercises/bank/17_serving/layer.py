"""Write self-attention over one row of tokens, the tokens of several texts one behind the
other, as a layer, `Packed(model_dim, num_heads)`, called with x (T, D) and lengths (n),
whole numbers whose sum is T; it returns (T, D). A token sees itself and the tokens before
it of its own text. With 2,048 tokens in 64 texts, 3 MB may be held at a time: no table of
all pairs. Heads have width K = D / num_heads. Trainable, without biases, each (D, D):
query_weight, key_weight, value_weight, output_weight. The gradients are checked too.
Scores may be as large as several hundred.

1. No score of two texts is needed: attend in each text alone, or in all of them as a
   padded batch.
2. torch.split and torch.cat take texts apart and put them together; so do
   tf.RaggedTensor.from_row_lengths(x, lengths).to_tensor() and tf.boolean_mask.
3. A batch (n, H, L, K) of the longest length L needs the causal mask alone: padding
   stands behind every text. The rows that count: place < lengths[:, None].
"""

title = "one row, many texts, no T × T: attention as a layer"
level, minutes = 3, 25
kind = "module"
before = "06.layer, 04.attention"
usual = "overflow unscaled"


def cases(rng):
    def draw(H, K, lengths):
        D, T = H * K, sum(lengths)
        x = rng.normal(size=(T, D)).astype(np.float32)
        names = ("query_weight", "key_weight", "value_weight", "output_weight")
        weights = layer_weights(rng, **dict.fromkeys(names, (D, D)))
        return (D, H), (x, np.array(lengths)), weights

    def large(sizes, inputs, weights):
        """With one head alone; a pair that is seen has the largest score."""
        x, text = inputs[0][None], np.repeat(np.arange(len(inputs[1])), inputs[1])
        seen = (text[:, None] == text) & np.tri(len(text), dtype=bool)
        return sizes, inputs, steep(weights, x, x, seen)

    return [
        Case("equal sizes", draw(3, 3, [3])),
        Case("sizes of different primes", draw(2, 5, [3, 2, 2])),
        Case("a short text between longer ones", draw(2, 3, [5, 1, 7])),
        Case("an axis of size 1", draw(1, 3, [2, 3])),
        Case("an axis of size 1", draw(2, 3, [1])),
        Case("one text", draw(3, 2, [5])),
        Case("each token a text", draw(3, 2, [1] * 5)),
        Case("scores of several hundred", large(*draw(1, 5, [1, 4, 2]))),
        Case("2,048 tokens in 64 texts", draw(1, 4, [29, 35] * 32), most=3 * 2**20),
    ]


# %% solution
def layer(x, lengths, query_weight, key_weight, value_weight, output_weight, sizes):
    (T, D), H, ends = x.shape, sizes[1], np.cumsum(lengths)
    split = lambda y: y.reshape(T, H, -1).swapaxes(0, 1)
    query, key = split(x @ query_weight), split(x @ key_weight)
    value, found = split(x @ value_weight), []
    for own in map(slice, ends - lengths, ends):
        score = query[:, own] @ key[:, own].swapaxes(1, 2) / np.sqrt(D // H)
        mask = np.tri(score.shape[1], dtype=bool)
        found.append(softmax(np.where(mask, score, -np.inf)) @ value[:, own])
    context = np.concatenate(found, axis=1)
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

    def forward(self, x, lengths):
        ...  # (T, D) and (n); return (T, D)
        (T, D), H, found = x.shape, self.num_heads, []
        maps = self.query_weight, self.key_weight, self.value_weight
        heads = torch.stack([x @ w for w in maps]).reshape(3, T, H, -1)
        for text in heads.transpose(1, 2).split(lengths.tolist(), dim=2):
            query, key, value = text  # (H, length, K)
            score = query @ key.mT / (D // H) ** 0.5
            mask = torch.ones_like(score, dtype=torch.bool).tril()
            score = score.masked_fill(~mask, -torch.inf)
            found.append(torch.softmax(score, dim=-1) @ value)
        context = torch.cat(found, dim=1)
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

    def call(self, x, lengths):
        ...  # (T, D) and (n); return (T, D)
        (D, H), rows = self.sizes, tf.RaggedTensor.from_row_lengths
        x = rows(x, lengths).to_tensor()  # (n, L, D), padded
        n, L = tf.shape(x)[0], tf.shape(x)[1]
        apart = lambda y: tf.reshape(y, (n, L, H, D // H))
        split = lambda y: tf.transpose(apart(y), (0, 2, 1, 3))
        query = split(x @ self.query_weight)
        key = split(x @ self.key_weight)
        score = tf.matmul(query, key, transpose_b=True) / (D // H) ** 0.5
        mask = tf.range(L)[:, None] >= tf.range(L)
        weights = tf.nn.softmax(tf.where(mask, score, -np.inf))
        context = weights @ split(x @ self.value_weight)
        context = tf.reshape(tf.transpose(context, (0, 2, 1, 3)), (n, L, D))
        context = tf.boolean_mask(context, tf.sequence_mask(lengths, L))
        return context @ self.output_weight


# %% mistake: it must be causal: no token sees a later one
mask = np.ones(score.shape[1], dtype=bool)
# %% mistake: no token sees another text's
for own in [slice(0, T)]:
    ...
# %% mistake: the mask is turned round: a token sees those before it
mask = np.tri(score.shape[1], dtype=bool).T
# %% mistake: the keys are a text's own: they don't begin with the row
score = query[:, own] @ key[:, : own.stop - own.start].swapaxes(1, 2) / np.sqrt(D // H)
# %% mistake: the values are a text's own: they don't begin with the row
found.append(softmax(np.where(mask, score, -np.inf)) @ value[:, : score.shape[2]])
# %% mistake: the scale is the root of a head's own width, D / H
score = query[:, own] @ key[:, own].swapaxes(1, 2) / np.sqrt(D)
# %% mistake: the output matrix is missing
return context.swapaxes(0, 1).reshape(T, D)
# %% mistake: the output matrix is transposed
return context.swapaxes(0, 1).reshape(T, D) @ output_weight.T
# %% mistake: the heads are not put back in order
return context.reshape(T, D) @ output_weight
# %% mistake: the values are of the keys' map
value, found = split(x @ key_weight), []
# %% mistake: it is added to x; that is a residual connection
return x + context.swapaxes(0, 1).reshape(T, D) @ output_weight
