import numpy as np


def next_part():
    ...  # return W (3, 3)
    return np.eye(3, k=-1)
