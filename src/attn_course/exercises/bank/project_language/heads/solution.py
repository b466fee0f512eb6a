import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def heads(x, p, num_heads):
    B, T, D = x.shape
    parts = B, T, num_heads, D // num_heads
    query = (x @ p["query"]).reshape(parts).swapaxes(1, 2)
    key = (x @ p["key"]).reshape(parts).swapaxes(1, 2)
    value = (x @ p["value"]).reshape(parts).swapaxes(1, 2)
    score = query @ key.swapaxes(2, 3) / np.sqrt(D / num_heads)
    weights = softmax(np.where(np.tri(T, dtype=bool), score, -np.inf))
    context = (weights @ value).swapaxes(1, 2).reshape(x.shape)
    return context @ p["output"], weights


# %% torch
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


# %% tf
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
