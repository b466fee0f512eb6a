import numpy as np


# %% numpy
def rescue(query, key):
    return query / 4, key / 4


# %% numpy 2
def rescue(query, key):
    """Rows of length 1."""
    return query / np.linalg.norm(query, axis=1, keepdims=True), key
