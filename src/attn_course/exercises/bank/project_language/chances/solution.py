import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def chances(logits, temperature, k):
    least = np.sort(logits, axis=1)[:, -k, None]
    found = softmax(logits / temperature) * (logits >= least)
    return found / found.sum(axis=1, keepdims=True)


# %% torch
def chances_torch(logits, temperature, k):
    least = logits.topk(k).values[:, -1:]  # (B, 1)
    kept = logits.masked_fill(logits < least, -torch.inf)
    return torch.softmax(kept / temperature, 1)


# %% tf
def chances_tf(logits, temperature, k):
    least = tf.math.top_k(logits, k).values[:, -1:]  # (B, 1)
    score = logits / temperature
    return tf.nn.softmax(tf.where(logits < least, -np.inf, score))
