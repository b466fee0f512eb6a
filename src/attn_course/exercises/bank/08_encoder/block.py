"""Write the second half of a pre-norm layer as a layer, `Block(model_dim, ff_dim)`,
called with x (B, T, D); it returns (B, T, D): a layer norm with 1e-5 under the root, a
network with relu, and the way around both. Trainable parameters: scale (D), bias (D),
inner (D, F), outer (F, D). The gradients are checked too.

1. x stays as it is until the last line, where something is added to it.
2. mean and variance along the last axis, the variance divided by D.
3. x + relu(norm(x) @ inner) @ outer
"""

title = "half a layer as a layer"
level, minutes = 3, 25
kind = "module"
before = "08.layer_norm, 08.pre_norm"


def cases(rng):
    def draw(B, T, D, F):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        drawn = {
            "scale": 1 + rng.normal(size=D) / 4,
            "bias": rng.normal(size=D) / 4,
            "inner": rng.normal(size=(D, F)) / np.sqrt(D),
            "outer": rng.normal(size=(F, D)) / np.sqrt(F),
        }
        return (D, F), (x,), {k: w.astype(np.float32) for k, w in drawn.items()}

    sizes, (x,), parameters = draw(2, 3, 5, 7)
    return [
        *sized(draw, (3, 3, 3, 3), (2, 5, 7, 11)),
        Case("differences of a hundredth", (sizes, (x / 100,), parameters)),
        Case("an axis of size 1", draw(1, 3, 5, 7)),
        Case("an inner width of 1", draw(2, 3, 5, 1)),
    ]


# %% solution
def block(x, scale, bias, inner, outer):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    y = centered / np.sqrt(variance + 1e-5) * scale + bias
    return x + np.maximum(y @ inner, 0) @ outer


# %% solution: torch
class Block(torch.nn.Module):
    def __init__(self, model_dim, ff_dim):
        super().__init__()
        ...  # scale, bias, inner, outer: torch.nn.Parameter
        new = torch.nn.Parameter
        self.scale = new(torch.ones(model_dim))
        self.bias = new(torch.zeros(model_dim))
        self.inner = new(torch.randn(model_dim, ff_dim) / 4)
        self.outer = new(torch.randn(ff_dim, model_dim) / 4)

    def forward(self, x):
        ...  # (B, T, D); return (B, T, D)
        centered = x - x.mean(dim=-1, keepdim=True)
        variance = (centered**2).mean(dim=-1, keepdim=True)
        y = centered / torch.sqrt(variance + 1e-5)
        y = y * self.scale + self.bias
        return x + torch.relu(y @ self.inner) @ self.outer


# %% solution: tf
class Block(keras.layers.Layer):
    def __init__(self, model_dim, ff_dim):
        super().__init__()
        ...  # scale, bias, inner, outer: self.add_weight
        new = self.add_weight
        self.scale = new((model_dim,), initializer="ones")
        self.bias = new((model_dim,), initializer="zeros")
        self.inner = new((model_dim, ff_dim))
        self.outer = new((ff_dim, model_dim))

    def call(self, x):
        ...  # (B, T, D); return (B, T, D)
        centered = x - tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(centered**2, -1, keepdims=True)
        y = centered / tf.sqrt(variance + 1e-5)
        y = y * self.scale + self.bias
        return x + tf.nn.relu(y @ self.inner) @ self.outer


# %% mistake: 1e-5 is added under the root, to the variance
y = centered / (np.sqrt(variance) + 1e-5) * scale + bias
# %% mistake: the mean was not taken away
centered = x
# %% mistake: it is divided by the root of the variance, not by the variance
y = centered / (variance + 1e-5) * scale + bias
# %% mistake: the way around is missing: x is added at the end
return np.maximum(y @ inner, 0) @ outer
# %% mistake: the way around begins before the norm: add x, not its norm
return y + np.maximum(y @ inner, 0) @ outer
# %% mistake: the relu is missing
return x + y @ inner @ outer
# %% mistake: it is a relu, not GELU
return x + (h := y @ inner) * (1 + erf(h / np.sqrt(2))) / 2 @ outer
# %% mistake: the relu stands after the second map
return x + np.maximum(y @ inner @ outer, 0)
# %% mistake: the scale is missing
y = centered / np.sqrt(variance + 1e-5) + bias
# %% mistake: the bias is missing
y = centered / np.sqrt(variance + 1e-5) * scale
# %% mistake: the norm stands before the network, not after the sum: that is post-norm
centered = (h := x + np.maximum(x @ inner, 0) @ outer) - h.mean(-1, keepdims=True)
return y
# %% mistake: the norm is missing
return x + np.maximum(x @ inner, 0) @ outer
# %% mistake: the variance is divided by D, not by D - 1
variance = (centered**2).sum(axis=-1, keepdims=True) / max(x.shape[-1] - 1, 1)
