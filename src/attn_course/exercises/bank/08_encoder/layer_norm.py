"""Write `layer_norm(x, scale, bias)`: x (B, T, D), scale (D), bias (D); output (B, T,
D). Every vector gets mean 0 and variance 1, then scale and bias. Add 1e-5 to the
variance before the root.

1. One mean and one variance for every position of every example.
2. x - mean; the mean of its square; divide by the root of that plus 1e-5.
3. centered / np.sqrt(variance + 1e-5) * scale + bias
"""

title = "write layer normalization"
level, minutes = 1, 10
before = "mean, sqrt"


def cases(rng):
    def draw(B, T, D):
        D = max(D, 2)  # the norm of one number is a rounding, times 300
        return rng.normal(size=(B, T, D)), rng.normal(size=D), rng.normal(size=D)

    x, scale, bias = draw(2, 5, 7)
    return [
        *fixed_cases(rng, draw, 3, long=(1,)),
        Case("differences of a thousandth", (x / 1000, scale, bias)),
        Case("a large mean", (20 + 3 * x, scale, bias)),
        Case("all numbers equal", (0 * x + 3, scale, bias)),
    ]


# %% solution
def layer_norm(x, scale, bias):
    ...  # (B, T, D), (D), (D); return (B, T, D)
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return centered / np.sqrt(variance + 1e-5) * scale + bias


# %% mistake: 1e-5 is added under the root, to the variance
return centered / (np.sqrt(variance) + 1e-5) * scale + bias
# %% mistake: the mean was not taken away
centered = x
# %% mistake: it is divided by the root of the variance, not by the variance
return centered / (variance + 1e-5) * scale + bias
# %% mistake: the variance is divided by D, not by D - 1
variance = x.var(axis=-1, ddof=1, keepdims=True)
# %% mistake: the statistics run along each vector, the last axis
centered = x - x.mean(axis=1, keepdims=True)
variance = (centered**2).mean(axis=1, keepdims=True)
# %% mistake: this is a batch norm: the statistics run over the examples
centered = x - x.mean(axis=0, keepdims=True)
variance = (centered**2).mean(axis=0, keepdims=True)
# %% mistake: the statistics are those of the whole array
centered = x - x.mean(keepdims=True)
variance = (centered**2).mean(keepdims=True)
# %% mistake: 1e-5 under the root is missing or has another size
return centered / np.sqrt(variance + 1e-12) * scale + bias
# %% mistake: the scale is missing
return centered / np.sqrt(variance + 1e-5) + bias
# %% mistake: the bias is missing
return centered / np.sqrt(variance + 1e-5) * scale
# %% mistake: the bias is scaled too; it comes last
return (centered / np.sqrt(variance + 1e-5) + bias) * scale
# %% mistake: nothing is added under the root; it should be 1e-5
return centered / np.sqrt(variance) * scale + bias
# %% mistake: 1e-3 stands under the root; it should be 1e-5
return centered / np.sqrt(variance + 1e-3) * scale + bias
# %% mistake: the mean of all is taken away; each vector has its own
centered = x - x.mean()
# %% mistake: scale and bias are added first; the bias comes last
return centered / np.sqrt(variance + 1e-5) * (scale + bias)
# %% mistake: 1 is added to the scale
return centered / np.sqrt(variance + 1e-5) * (1 + scale) + bias
# %% mistake: it is divided by the mean distance, not by the root of the variance
return centered / np.abs(centered).mean(axis=-1, keepdims=True) * scale + bias
