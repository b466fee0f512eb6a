import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(score, count, sinks):
    raised = np.where(np.arange(len(score)) < sinks, np.inf, score)
    order = np.argsort(np.argsort(-raised, kind="stable"), kind="stable")
    return order < count


# %% torch
def f(score, count, sinks):
    raised = score.clone()
    raised[:sinks] = torch.inf
    kept = torch.zeros(len(score), dtype=torch.bool)
    kept[raised.topk(min(count, len(score))).indices] = True
    return kept


# %% tf
def f(score, count, sinks):
    places = tf.range(len(score))
    raised = tf.where(places < sinks, tf.constant(np.inf, score.dtype), score)
    best = tf.math.top_k(raised, min(count, len(score))).indices
    return tf.reduce_any(places[:, None] == best[None], axis=1)
