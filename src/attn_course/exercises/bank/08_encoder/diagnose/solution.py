import numpy as np


def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    ...  # arrays and numbers; return one of the names
    if np.triu(maps, 1).max() > 0:
        return "leaking mask"
    if gradients.min() == 0:
        return "dead head"
    if np.ptp(norms[1:]) < 1:
        return "norm misplaced"
    if loss[-1] < 0.5:
        return "shift by one"
    if entropy < 0.7:
        return "scale missing"
    return "cache off by one" if cached > free + 0.1 else "healthy"
