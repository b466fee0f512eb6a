import numpy as np


# %% the mean is subtracted first: that is a layer norm
def instead(x, scale):
    x = x - x.mean(axis=2, keepdims=True)
    return x / np.sqrt((x**2).mean(axis=2, keepdims=True) + 1e-6) * scale


# %% the mean runs over all positions; each has its own
square = (x**2).mean()
# %% the mean runs over the positions, not over the width
square = (x**2).mean(axis=1, keepdims=True)
# %% the squares are summed; their mean was asked for
square = (x**2).sum(axis=2, keepdims=True)
# %% the mean is squared; the squares have a mean
square = x.mean(axis=2, keepdims=True) ** 2
# %% the root is missing
return x / (square + 1e-6) * scale
# %% the scale is missing
return x / np.sqrt(square + 1e-6)
# %% the 1e-6 is missing: a vector of zeros would be NaN
return x / np.sqrt(square) * scale
# %% the 1e-6 stands outside the root
return x / (np.sqrt(square) + 1e-6) * scale
# %% 1e-3 is too much: 1e-6 was asked for
return x / np.sqrt(square + 1e-3) * scale
# %% the scale divides; it multiplies
return x / np.sqrt(square + 1e-6) / scale
# %% the scale is added; it multiplies
return x / np.sqrt(square + 1e-6) + scale
