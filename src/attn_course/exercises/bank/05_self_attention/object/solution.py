import numpy as np


def places():
    ...  # return a table (3, 4)
    table = np.zeros((3, 4))
    table[2, 0] = 1
    return table
