import numpy as np


# %% numpy
def pack():
    """Three letters in each number: they change places at every step."""
    return np.array([[0, 15], [1, 0]]), np.array([1, 0])


# %% numpy 2
def pack():
    """Digits to the right of the point."""
    return np.eye(2) / 16, np.array([1.0, 0.0])
