import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(i, n):
    C, H, W = i.shape
    cut = i.reshape(C, H // n, n, W // n, n)
    return cut.transpose(1, 3, 0, 2, 4).reshape(-1, C * n * n)


# %% tf
def f(i, n):
    C, H, W = i.shape
    cut = tf.reshape(i, (C, H // n, n, W // n, n))
    return tf.reshape(tf.transpose(cut, (1, 3, 0, 2, 4)), (-1, C * n * n))


# %% numpy 2
def f(i, n):
    C, H, W = i.shape
    return np.array([i[:, r : r + n, c : c + n].ravel() for r in range(0, H, n) for c in range(0, W, n)])


# %% torch
lambda i, n: torch.nn.functional.unfold(i[None], n, stride=n)[0].T
