import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(q, m, W, U, v):
    h = np.tanh((q @ W)[:, :, None] + (m @ U)[:, None])
    return h @ v


# %% torch
lambda q, m, W, U, v: torch.tanh((q @ W)[:, :, None] + (m @ U)[:, None]) @ v

# %% tf
lambda q, m, W, U, v: tf.linalg.matvec(tf.tanh((q @ W)[:, :, None] + (m @ U)[:, None]), v)


# %% numpy 2
def f(q, m, W, U, v):
    h = np.tanh(np.expand_dims(q @ W, 2) + np.expand_dims(m @ U, 1))
    return np.einsum("btsa,a->bts", h, v)
