"""Write an output gate, `Gate(model_dim, num_heads)`, called with the context of the
heads (B, H, T, V) and the query's input x (B, T, D); it returns the context of every
head times sigmoid(x weight + bias), one number per head. Trainable parameters: weight
(D, H) and bias (H). The gradients are checked too.

1. x weight + bias is (B, T, H): the heads come last, and in the context second.
2. Swap the last two axes, then add one of size 1 at the end: (B, H, T, 1).
3. context * gate.swapaxes(1, 2)[..., None]
"""

title = "an output gate as a layer"
level, minutes = 2, 20
kind = "module"
before = "06.layer"


def cases(rng):
    def draw(B, H, T, V, D):
        context = rng.normal(size=(B, H, T, V)).astype(np.float32)
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        weight = rng.normal(size=(D, H)).astype(np.float32)
        bias = rng.normal(size=H).astype(np.float32)
        return (D, H), (context, x), {"weight": weight, "bias": bias}

    return [
        *sized(draw, (3, 3, 3, 3, 3), (2, 3, 5, 7, 11)),
        Case("other sizes", draw(3, 5, 2, 3, 7)),
        *sized(draw, (1, 1, 3, 5, 2), (2, 3, 1, 1, 5)),
    ]


# %% solution
def gated(context, x, weight, bias):
    gate = 1 / (1 + np.exp(-(x @ weight + bias)))
    return context * gate.swapaxes(1, 2)[..., None]


# %% solution: torch
class Gate(torch.nn.Module):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # two torch.nn.Parameter
        self.weight = torch.nn.Parameter(torch.zeros(model_dim, num_heads))
        self.bias = torch.nn.Parameter(torch.zeros(num_heads))

    def forward(self, context, x):
        ...  # (B, H, T, V), (B, T, D); return (B, H, T, V)
        gate = torch.sigmoid(x @ self.weight + self.bias)
        return context * gate.mT[..., None]


# %% solution: tf
class Gate(keras.layers.Layer):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # self.add_weight, twice
        self.weight = self.add_weight((model_dim, num_heads), "zeros")
        self.bias = self.add_weight((num_heads,), "zeros")

    def call(self, context, x):
        ...  # (B, H, T, V), (B, T, D); return (B, H, T, V)
        gate = tf.sigmoid(tf.tensordot(x, self.weight, 1) + self.bias)
        return context * tf.transpose(gate, (0, 2, 1))[..., None]


# %% mistake: the bias is missing
gate = 1 / (1 + np.exp(-(x @ weight)))
# %% mistake: the sigmoid is missing
gate = x @ weight + bias
# %% mistake: this is a softmax over the heads; each head has a gate of its own
gate = np.exp(x @ weight + bias) / np.exp(x @ weight + bias).sum(-1, keepdims=True)
# %% mistake: this is tanh; a gate lies between 0 and 1
gate = np.tanh(x @ weight + bias)
# %% mistake: the gate is turned around: 0 closes it
gate = 1 / (1 + np.exp(x @ weight + bias))
# %% mistake: the context is added once more
return context + context * gate.swapaxes(1, 2)[..., None]
# %% mistake: every head has the first head's gate
return context * gate[:, None, :, :1]
# %% mistake: every position has the gate of the last one
return context * gate[:, -1, :, None, None]
# %% mistake: the bias is taken away: add it
gate = 1 / (1 + np.exp(-(x @ weight - bias)))
# %% mistake: every text has the first text's gate
return context * gate[:1].swapaxes(1, 2)[..., None]
