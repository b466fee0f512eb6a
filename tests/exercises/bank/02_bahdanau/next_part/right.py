import numpy as np


# %% numpy
def next_part():
    return np.array([[0, 0, 0], [1.3, 0, 0], [0, 1.5, 0]])


# %% numpy 2
def next_part():
    """The day asks for everything alike."""
    W = np.eye(3, k=-1)
    W[0] = 9
    return W
