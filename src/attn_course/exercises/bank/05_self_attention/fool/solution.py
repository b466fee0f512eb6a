import numpy as np


def fool(animals, numbers):
    ...  # (16), (16); return an order (16)
    first = np.unique(animals, return_index=True)[1]
    second = np.setdiff1d(np.arange(16), first)
    return np.concatenate([first, second[np.argsort(animals[second])]])
