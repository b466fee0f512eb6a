import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(count, score, sink):
    return count * np.exp(score) / (count * np.exp(score) + np.exp(sink))


# %% torch
def f(count, score, sink):
    scores = torch.full((count,), score, dtype=torch.float64)
    return torch.sigmoid(scores.logsumexp(0) - sink)


# %% tf
def f(count, score, sink):
    return tf.sigmoid(tf.reduce_logsumexp(tf.fill([count], tf.constant(score, tf.float64))) - sink)
