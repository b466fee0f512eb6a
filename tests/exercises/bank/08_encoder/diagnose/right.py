import numpy as np


# %% numpy
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    size = maps.shape[-1]
    ahead = maps[..., np.arange(size - 1), np.arange(1, size)].sum()
    if ahead > 0:
        return "leaking mask"
    if (gradients == 0).any():
        return "dead head"
    if abs(norms[2] / norms[1] - 1) < 0.02:
        return "norm misplaced"
    if cached - free > 0.2:
        return "cache off by one"
    if loss[-5:].mean() < 0.6:
        return "shift by one"
    return "scale missing" if entropy < 0.72 else "healthy"


# %% numpy 2
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    signs = {
        "leaking mask": np.triu(maps, 1).any(),
        "dead head": not gradients.all(),
        "norm misplaced": np.isclose(norms[1], norms[2], rtol=0.02),
        "shift by one": free > 0.5 and loss[-1] < 1,
        "scale missing": entropy < 0.72,
        "cache off by one": cached > 2 * free + 0.1,
        "healthy": True,
    }
    return next(name for name, seen in signs.items() if seen)
