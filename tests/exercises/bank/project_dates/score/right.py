import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(q, m, W, U, v):
    h = np.tanh((q @ W)[:, None] + m @ U)
    return h @ v


# %% torch
lambda q, m, W, U, v: torch.einsum("bsa,a->bs", torch.tanh((q @ W).unsqueeze(1) + m @ U), v)

# %% tf
lambda q, m, W, U, v: tf.reduce_sum(tf.tanh((q @ W)[:, None] + m @ U) * v, -1)
