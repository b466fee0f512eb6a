import numpy as np


def pack():
    ...  # return U (2, 2) and W (2)
    U = 15 * np.eye(2)
    return U, np.array([1, 0])
