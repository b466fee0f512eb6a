import numpy as np


# %% numpy
def narrowest(share, widths, lengths, letters):
    column = list(lengths).index(letters)
    for place, width in enumerate(widths):
        if min(run[place, column] for run in share) >= 0.5:
            return int(width)
    return 0


# %% numpy 2
def narrowest(share, widths, lengths, letters):
    worst = share.min(axis=0)[:, lengths == letters][:, 0]
    return min((w for w, x in zip(widths, worst) if x >= 0.5), default=0)
