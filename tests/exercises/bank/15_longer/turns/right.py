import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(K, base, most):
    theta = base ** (-2 * np.arange(K // 2) / K)
    return int((most * theta < 2 * np.pi).sum())


# %% torch
def f(K, base, most):
    theta = base ** (-2 * torch.arange(K // 2, dtype=torch.float64) / K)
    return (most * theta < 2 * torch.pi).sum()


# %% tf
def f(K, base, most):
    theta = tf.pow(tf.constant(base, tf.float64), -2 * tf.range(K // 2, dtype=tf.float64) / K)
    return tf.math.count_nonzero(most * theta < 2 * np.pi)


# %% numpy 2
lambda K, base, most: sum(2 * np.pi * base ** (2 * p / K) > most for p in range(K // 2))
