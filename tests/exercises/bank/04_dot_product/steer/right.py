import numpy as np


# %% numpy
def steer():
    return np.array([-0.5, 1.41]), np.array([3.0, 3.0]), np.array([-0.71, -0.7])


# %% numpy 2
def steer():
    angle = np.radians(108)
    milk = 1.5 * np.array([np.cos(angle), np.sin(angle)])
    return milk, (5, 5), (-1 / 2**0.5, -1 / 2**0.5)
