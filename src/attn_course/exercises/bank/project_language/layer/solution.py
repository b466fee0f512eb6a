import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def layer(x, p, num_heads):
    def norm(x, scale):
        return x / np.sqrt((x**2).mean(axis=2, keepdims=True) + 1e-6) * scale

    def split(x):
        return x.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2)

    read, seen = norm(x, p["norm1"]), np.tri(x.shape[1], dtype=bool)
    query, key, value = (split(read @ p[name]) for name in ("query", "key", "value"))
    score = query @ key.swapaxes(2, 3) / np.sqrt(key.shape[3])
    weights = softmax(np.where(seen, score, -np.inf))
    x = x + (weights @ value).swapaxes(1, 2).reshape(x.shape) @ p["output"]
    inner = np.maximum(norm(x, p["norm2"]) @ p["inner"], 0)
    return x + inner @ p["outer"], weights


# %% torch
def norm_torch(x, scale):
    square = (x**2).mean(2, keepdim=True)
    return x / (square + 1e-6) ** 0.5 * scale


def attend_torch(query, key, value):
    T, S, K = query.shape[2], *key.shape[2:]
    seen = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    score = query @ key.mT / K**0.5
    weights = torch.softmax(score.masked_fill(~seen, -torch.inf), 3)
    return weights @ value, weights


def heads_torch(x, p, num_heads):
    def split(x):
        return x.unflatten(2, (num_heads, -1)).transpose(1, 2)

    asked = (split(x @ p[name]) for name in ("query", "key", "value"))
    context, weights = attend_torch(*asked)
    merged = context.transpose(1, 2).flatten(2)  # (B, T, D)
    return merged @ p["output"], weights


def layer_torch(x, p, num_heads):
    read = norm_torch(x, p["norm1"])
    found, weights = heads_torch(read, p, num_heads)
    x = x + found
    inner = torch.relu(norm_torch(x, p["norm2"]) @ p["inner"])
    return x + inner @ p["outer"], weights


# %% tf
def norm_tf(x, scale):
    square = tf.reduce_mean(x**2, 2, keepdims=True)
    return x / (square + 1e-6) ** 0.5 * scale


def attend_tf(query, key, value):
    T, S, K = tf.shape(query)[2], tf.shape(key)[2], key.shape[3]
    seen = tf.range(S) <= tf.range(T)[:, None] + S - T
    score = tf.matmul(query, key, transpose_b=True) / K**0.5
    weights = tf.nn.softmax(tf.where(seen, score, score.dtype.min))
    return weights @ value, weights


def heads_tf(x, p, num_heads):
    B, T, D = tf.shape(x)[0], tf.shape(x)[1], x.shape[2]

    def split(x):
        x = tf.reshape(x, (B, T, num_heads, D // num_heads))
        return tf.transpose(x, (0, 2, 1, 3))

    asked = (split(x @ p[name]) for name in ("query", "key", "value"))
    context, weights = attend_tf(*asked)
    merged = tf.reshape(tf.transpose(context, (0, 2, 1, 3)), (B, T, D))
    return merged @ p["output"], weights


def layer_tf(x, p, num_heads):
    read = norm_tf(x, p["norm1"])
    found, weights = heads_tf(read, p, num_heads)
    x = x + found
    inner = tf.nn.relu(norm_tf(x, p["norm2"]) @ p["inner"])
    return x + inner @ p["outer"], weights
