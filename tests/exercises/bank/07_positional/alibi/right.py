import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def f(q, k, v):
    H, T, K = q.shape
    S, near = k.shape[1], 2 ** int(np.log2(H))
    slopes = 2.0 ** (-8 * np.arange(1, near + 1) / near)
    more = 2.0 ** (-4 * np.arange(1, 2 * near + 1) / near)
    slopes = np.concatenate([slopes, more[::2]])[:H]
    d = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
    s = q @ k.swapaxes(1, 2) / np.sqrt(K) - slopes[:, None, None] * d
    return softmax(s) @ v


# %% torch
def f(q, k, v):
    H, T, S = len(q), q.shape[1], k.shape[1]
    near = 2 ** (H.bit_length() - 1)
    powers = [8 * (h + 1) / near for h in range(near)] + [4 * (2 * h + 1) / near for h in range(near)]
    slopes = 2.0 ** -torch.tensor(powers[:H], dtype=q.dtype)
    d = (torch.arange(S) - torch.arange(S - T, S)[:, None]).abs()
    bias = -slopes[:, None, None] * d
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


# %% tf
def f(q, k, v):
    H, T, S = q.shape[0], q.shape[1], k.shape[1]
    near = 2 ** (H.bit_length() - 1)
    powers = [8 * (h + 1) / near for h in range(near)] + [4 * (2 * h + 1) / near for h in range(near)]
    slopes = 2.0 ** -tf.constant(powers[:H], q.dtype)
    d = tf.abs(tf.range(S) - tf.range(S - T, S)[:, None])
    s = tf.matmul(q, k, transpose_b=True) / q.shape[2] ** 0.5
    return tf.nn.softmax(s - slopes[:, None, None] * tf.cast(d, q.dtype)) @ v


# %% numpy 2
def f(q, k, v):
    from attn_course.reference import alibi_bias

    H, T, K = q.shape
    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(K) + alibi_bias(H, T, k.shape[1])) @ v
