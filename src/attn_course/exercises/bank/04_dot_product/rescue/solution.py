import numpy as np


def rescue(query, key):
    ...  # (64, 256) twice; return two tables of these shapes
    query = query / np.sqrt(query.shape[1])
    return query, key
