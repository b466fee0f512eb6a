import numpy as np


# %% numpy
def places():
    return np.array([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]])


# %% numpy 2
def places():
    """A little of both."""
    return np.array([[-0.1, 0, 0, 0], [0, 0.5, 0, 0], [0.9, 0, 0.3, 0.3]])
