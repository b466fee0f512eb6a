import numpy as np
import tensorflow as tf
import torch

# %% numpy
lambda p, w: int(np.ceil(np.log(1 - w) / np.log(1 - p)))

# %% torch
lambda p, w: (torch.log1p(-torch.tensor(w, dtype=torch.float64)) / np.log1p(-p)).ceil().long()

# %% tf
lambda p, w: tf.cast(tf.math.ceil(tf.math.log1p(tf.constant(-w, tf.float64)) / np.log1p(-p)), tf.int32)


# %% numpy 2
def f(p, w):
    r = 1
    while 1 - (1 - p) ** r < w:
        r += 1
    return r
