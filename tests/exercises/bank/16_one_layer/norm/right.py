import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(query, gain):
    B, H, T, K = query.shape
    flat = query.transpose(0, 2, 1, 3).reshape(B, T, H * K)
    flat = flat / np.sqrt((flat**2).mean(-1, keepdims=True) + 1e-6) * gain.reshape(-1)
    return flat.reshape(B, T, H, K).transpose(0, 2, 1, 3)


# %% torch
def f(query, gain):
    return query * (query.square().mean((1, 3), True) + 1e-6).rsqrt() * gain[:, None]


# %% tf
def f(query, gain):
    mean = tf.reduce_mean(query**2, (1, 3), keepdims=True)
    return gain[:, None] * query * tf.math.rsqrt(mean + 1e-6)
