import numpy as np


def row_sum(count, score, sink):
    ...  # three numbers; return one
    lse = score + np.log(count)
    return 1 / (1 + np.exp(sink - lse))
