import numpy as np
import tensorflow as tf
import torch


# %% numpy
def norm(x, scale):
    square = (x**2).mean(axis=2, keepdims=True)
    return x / np.sqrt(square + 1e-6) * scale


# %% torch
def norm_torch(x, scale):
    square = (x**2).mean(2, keepdim=True)
    return x / (square + 1e-6) ** 0.5 * scale


# %% tf
def norm_tf(x, scale):
    square = tf.reduce_mean(x**2, 2, keepdims=True)
    return x / (square + 1e-6) ** 0.5 * scale
