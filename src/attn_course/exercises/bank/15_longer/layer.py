"""Write the learned log-length scale of Mistral Large 4, `QueryScale(num_heads)`,
called with query (B, H, T, K) and positions (T), whole numbers from 0; it returns the
query times scale_h ln(t + 1) + bias_h. Trainable parameters: scale (H) and bias (H).
The gradients are checked too.

1. A factor per head and position, (H, T), then the query times it.
2. scale[:, None] * ln(positions + 1) + bias[:, None] is (H, T).
3. query * factor[:, :, None]
"""

title = "a learned log-length scale as a layer"
level, minutes = 2, 15
kind = "module"
before = "indexing with arrays"


def cases(rng):
    def draw(B, H, T, K):
        query = rng.normal(size=(B, H, T, K)).astype(np.float32)
        positions = rng.choice(90, size=T, replace=False)
        scale, bias = rng.normal(size=(2, H)).astype(np.float32)
        return (H,), (query, positions), {"scale": scale, "bias": bias}

    return [
        *sized(draw, (3, 3, 3, 3), (2, 3, 5, 7)),
        Case("other sizes", draw(3, 5, 2, 11)),
        *sized(draw, (1, 1, 3, 5), (2, 3, 1, 1)),
        Case("position 0 alone", of_layer(draw(2, 3, 5, 7), {1: np.zeros_like})),
    ]


# %% solution
def query_scale(query, positions, scale, bias):
    grown = np.log(positions + 1.0)
    factor = scale[:, None] * grown + bias[:, None]
    return query * factor[:, :, None]


# %% solution: torch
class QueryScale(torch.nn.Module):
    def __init__(self, num_heads):
        super().__init__()
        ...  # two torch.nn.Parameter
        self.scale = torch.nn.Parameter(torch.zeros(num_heads))
        self.bias = torch.nn.Parameter(torch.ones(num_heads))

    def forward(self, query, positions):
        ...  # (B, H, T, K), (T); return (B, H, T, K)
        grown = torch.log(positions + 1.0)
        factor = self.scale[:, None] * grown + self.bias[:, None]
        return query * factor[:, :, None]


# %% solution: tf
class QueryScale(keras.layers.Layer):
    def __init__(self, num_heads):
        super().__init__()
        ...  # self.add_weight, twice
        self.scale = self.add_weight((num_heads,), "zeros")
        self.bias = self.add_weight((num_heads,), "ones")

    def call(self, query, positions):
        ...  # (B, H, T, K), (T); return (B, H, T, K)
        grown = tf.math.log(tf.cast(positions, query.dtype) + 1)
        factor = self.scale[:, None] * grown + self.bias[:, None]
        return query * factor[:, :, None]


# %% mistake: position 0 has the logarithm of 1, not of 0: add 1 first
grown = np.log(np.maximum(positions, 1.0))
# %% mistake: the bias is missing
factor = scale[:, None] * grown
# %% mistake: the bias is added to the query; it belongs to the factor
factor = scale[:, None] * grown
return query * factor[:, :, None] + bias[:, None, None]
# %% mistake: positions are counted from 0 on; they are given
grown = np.log(np.arange(len(positions)) + 1.0)
# %% mistake: all heads take the first head's scale
factor = scale[:1, None] * grown + bias[:, None]
# %% mistake: there is no logarithm
grown = positions + 1.0
# %% mistake: it is divided; the query grows
return query / factor[:, :, None]
# %% mistake: the scale is missing
factor = grown + bias[:, None]
# %% mistake: scale and bias are exchanged
factor = bias[:, None] * grown + scale[:, None]
# %% mistake: the logarithm has the base 2; it is the natural one
grown = np.log2(positions + 1.0)
