import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def f(x, p, H):
    B, T, D = x.shape
    q, k, v = (np.stack(np.split(x @ p[n], H, -1), 1) for n in ("query", "key", "value"))
    s = np.einsum("bhtk,bhsk->bhts", q, k) / (D / H) ** 0.5
    s = s + np.where(np.tri(T), 0, -1e30)
    w = softmax(s)
    c = np.einsum("bhts,bhsk->bthk", w, v)
    return c.reshape(B, T, D) @ p["output"], w


# %% torch
def f(x, p, H):
    B, T, D = x.shape
    q, k, v = ((x @ p[n]).view(B, T, H, -1).permute(0, 2, 1, 3) for n in ("query", "key", "value"))
    s = torch.einsum("bhtk,bhsk->bhts", q, k) / (D // H) ** 0.5
    w = s.masked_fill(torch.ones(T, T).triu(1) == 1, -torch.inf).softmax(-1)
    return torch.cat((w @ v).unbind(1), -1) @ p["output"], w


# %% tf
def f(x, p, H):
    T = x.shape[1]
    q, k, v = (tf.stack(tf.split(x @ p[n], H, 2), 1) for n in ("query", "key", "value"))
    s = tf.einsum("bhtk,bhsk->bhts", q, k) / q.shape[3] ** 0.5
    w = tf.nn.softmax(tf.where(tf.linalg.band_part(tf.ones((T, T)), -1, 0) > 0, s, -np.inf))
    return tf.concat(tf.unstack(w @ v, axis=1), -1) @ p["output"], w
