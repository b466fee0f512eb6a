import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(score, mask, sink):
    score = np.where(mask, score, -np.inf)
    top = np.maximum(score.max(-1, keepdims=True), sink[:, None, None])
    found = np.exp(score - top)
    return found / (found.sum(-1, keepdims=True) + np.exp(sink[:, None, None] - top))


# %% torch
def f(score, mask, sink):
    score = score.masked_fill(~mask, -torch.inf)
    joined = torch.cat([score, sink[:, None, None].expand(-1, score.shape[1], 1)], -1)
    return joined.softmax(-1)[..., :-1]


# %% tf
def f(score, mask, sink):
    score = tf.where(mask, score, tf.constant(-np.inf, score.dtype))
    column = tf.broadcast_to(sink[:, None, None], (score.shape[0], score.shape[1], 1))
    return tf.nn.softmax(tf.concat([score, column], -1))[..., :-1]
