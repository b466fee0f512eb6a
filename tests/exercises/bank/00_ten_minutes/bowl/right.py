import numpy as np


# %% numpy
def bowl():
    return np.array([1.75, 1.75]), np.array([-1.2, -2.0])


# %% numpy 2
def bowl():
    direction = np.array([1.0, 1.0]) / np.sqrt(2)
    return 2.5 * direction, -2.5 * direction
