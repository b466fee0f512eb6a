import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(s, m):
    top = np.where(m, s, -1e300).max(1, keepdims=True)
    e = np.exp(np.where(m, s - top, -1e300)) * m
    n = e.sum(1, keepdims=True)
    return e / np.where(n == 0, 1, n)


# %% torch
def f(s, m):
    empty = ~m.any(1, keepdim=True)
    return torch.softmax(s.masked_fill(~(m | empty), -torch.inf), 1).masked_fill(empty, 0)


# %% tf
def f(s, m):
    top = tf.reduce_max(tf.where(m, s, s.dtype.min), 1, keepdims=True)
    e = tf.where(m, tf.exp(tf.where(m, s - top, tf.zeros_like(s))), tf.zeros_like(s))
    return tf.math.divide_no_nan(e, tf.reduce_sum(e, 1, keepdims=True))
