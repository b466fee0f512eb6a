import numpy as np
import tensorflow as tf
import torch


# %% numpy
def bits(logits, target, characters):
    logits = logits - logits.max(axis=2, keepdims=True)
    log_chance = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    right = np.take_along_axis(log_chance, target[:, :, None], axis=2)
    return -right.sum() / (np.log(2) * characters)


# %% torch
def bits_torch(logits, target, characters):
    total = torch.nn.functional.cross_entropy(logits.mT, target, reduction="sum")
    return total / (np.log(2) * characters)


# %% tf
def bits_tf(logits, target, characters):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(target, logits)
    return tf.reduce_sum(each) / (np.log(2) * characters)
