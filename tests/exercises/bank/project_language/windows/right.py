import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(tokens, starts, length):
    rows = np.stack([tokens[s : s + length + 1] for s in starts])
    return rows[:, :-1], rows[:, 1:]


# %% torch
def f(tokens, starts, length):
    rows = tokens.unfold(0, length + 1, 1)[starts]
    return rows[:, :-1], rows[:, 1:]


# %% tf
def f(tokens, starts, length):
    rows = tf.gather(tokens, starts[:, None] + tf.range(length + 1, dtype=starts.dtype))
    return rows[:, :length], rows[:, 1:]
