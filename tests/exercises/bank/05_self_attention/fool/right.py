import numpy as np


# %% numpy
def fool(animals, numbers):
    """In two rounds, each in the order in which the animals were dealt."""
    seen, order = {}, []
    for place, animal in enumerate(animals):
        seen.setdefault(int(animal), []).append(place)
    for turn in (1, 0):
        order += [places[turn] for places in seen.values()]
    return np.array(order)


# %% numpy 2
def fool(animals, numbers):
    """Side by side at first, then the even places before the odd ones."""
    order = np.argsort(animals)
    return np.concatenate([order[::2], order[1::2]])
