import numpy as np


# %% numpy
def f(keys, queries):
    """The animal in the middle of the row."""
    return keys[np.linalg.norm(keys[:8] - keys[:8].mean(0), axis=1).argmin()]


# %% numpy 2
def f(keys, queries):
    """Where the animals' queries point, as far out as the animals lie."""
    direction = queries[:6].mean(axis=0) - queries[6:].mean(axis=0)
    length = np.linalg.norm(keys[:8].mean(axis=0))
    return length * direction / np.linalg.norm(direction)
