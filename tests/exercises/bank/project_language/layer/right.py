import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def f(x, p, H):
    B, T, D = x.shape
    norm = lambda x, g: x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5 * p[g]
    y = norm(x, "norm1")
    q, k, v = (np.stack(np.split(y @ p[n], H, -1), 1) for n in ("query", "key", "value"))
    s = np.einsum("bhtk,bhsk->bhts", q, k) / (D / H) ** 0.5
    w = softmax(s + np.where(np.tri(T), 0, -1e30))
    c = np.einsum("bhts,bhsk->bthk", w, v).reshape(B, T, D)
    x = x + c @ p["output"]
    h = norm(x, "norm2") @ p["inner"]
    return x + (h * (h > 0)) @ p["outer"], w


# %% torch
def f(x, p, H):
    B, T, D = x.shape
    y = torch.nn.functional.rms_norm(x, (D,), p["norm1"], 1e-6)
    q, k, v = ((y @ p[n]).view(B, T, H, -1).permute(0, 2, 1, 3) for n in ("query", "key", "value"))
    s = torch.einsum("bhtk,bhsk->bhts", q, k) / (D // H) ** 0.5
    w = s.masked_fill(torch.ones(T, T).triu(1) == 1, -torch.inf).softmax(-1)
    x = x + torch.cat((w @ v).unbind(1), -1) @ p["output"]
    h = torch.nn.functional.rms_norm(x, (D,), p["norm2"], 1e-6) @ p["inner"]
    return x + h.clamp(min=0) @ p["outer"], w


# %% tf
def f(x, p, H):
    T = x.shape[1]
    norm = lambda x, g: x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-6) * p[g]
    y = norm(x, "norm1")
    q, k, v = (tf.stack(tf.split(y @ p[n], H, 2), 1) for n in ("query", "key", "value"))
    s = tf.einsum("bhtk,bhsk->bhts", q, k) / q.shape[3] ** 0.5
    w = tf.nn.softmax(tf.where(tf.linalg.band_part(tf.ones((T, T)), -1, 0) > 0, s, -np.inf))
    x = x + tf.concat(tf.unstack(w @ v, axis=1), -1) @ p["output"]
    return x + tf.nn.relu(norm(x, "norm2") @ p["inner"]) @ p["outer"], w
