"""Write `norm(x, scale)`, the root-mean-square norm: x (B, T, D) divided by the root of
the mean of its squares over the width plus 1e-6, times scale (D). No mean is
subtracted.

1. Each position has a length of its own: the mean runs over the last axis, and keeps
   it.
2. The 1e-6 is added to the mean of the squares, below the root.
3. x / root(mean(x ** 2, last axis, kept) + 1e-6) * scale
"""

title = "a norm without a mean"
level, minutes = 1, 5
kind = "part"
before = "08.layer_norm"


def cases(rng):
    def draw(B, T, D):
        return rng.normal(size=(B, T, D)) + 1, rng.normal(size=D)

    cases = fixed_cases(rng, draw, 3, long=())
    x, scale = draw(2, 3, 5)
    cases.append(Case("small vectors", (1e-3 * x, scale)))
    x, scale = draw(5, 2, 7)
    return [*cases, Case("large vectors", (300 * x, scale))]


# %% solution
def norm(x, scale):
    square = (x**2).mean(axis=2, keepdims=True)
    return x / np.sqrt(square + 1e-6) * scale


# %% solution: torch
def norm_torch(x, scale):
    ...  # (B, T, D), (D); return (B, T, D)
    square = (x**2).mean(2, keepdim=True)
    return x / (square + 1e-6) ** 0.5 * scale


# %% solution: tf
def norm_tf(x, scale):
    ...  # (B, T, D), (D); return (B, T, D)
    square = tf.reduce_mean(x**2, 2, keepdims=True)
    return x / (square + 1e-6) ** 0.5 * scale


# %% mistake: the mean is subtracted first: that is a layer norm
def instead(x, scale):
    x = x - x.mean(axis=2, keepdims=True)
    return x / np.sqrt((x**2).mean(axis=2, keepdims=True) + 1e-6) * scale


# %% mistake: the mean runs over all positions; each has its own
square = (x**2).mean()
# %% mistake: the mean runs over the positions, not over the width
square = (x**2).mean(axis=1, keepdims=True)
# %% mistake: the squares are summed; their mean was asked for
square = (x**2).sum(axis=2, keepdims=True)
# %% mistake: the mean is squared; the squares have a mean
square = x.mean(axis=2, keepdims=True) ** 2
# %% mistake: the root is missing
return x / (square + 1e-6) * scale
# %% mistake: the scale is missing
return x / np.sqrt(square + 1e-6)
# %% mistake: the 1e-6 is missing: a vector of zeros would be NaN
return x / np.sqrt(square) * scale
# %% mistake: the 1e-6 stands outside the root
return x / (np.sqrt(square) + 1e-6) * scale
# %% mistake: 1e-3 is too much: 1e-6 was asked for
return x / np.sqrt(square + 1e-3) * scale
# %% mistake: the scale divides; it multiplies
return x / np.sqrt(square + 1e-6) / scale
# %% mistake: the scale is added; it multiplies
return x / np.sqrt(square + 1e-6) + scale
