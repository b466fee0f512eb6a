import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def f(token, s, m, mask, p):
    e = np.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"]) @ p["score_weight"]
    w = softmax(np.where(mask, e, -np.inf))
    c = np.einsum("bs,bse->be", w, m)
    s = np.tanh(np.hstack([p["target"][token], c, s]) @ p["state_weight"] + p["state_bias"])
    return np.hstack([s, c]) @ p["output_weight"] + p["output_bias"], s


# %% torch
def f(token, s, m, mask, p):
    e = torch.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"]) @ p["score_weight"]
    c = torch.einsum("bs,bse->be", e.masked_fill(~mask, -torch.inf).softmax(1), m)
    y = torch.nn.functional.embedding(token, p["target"])
    s = torch.addmm(p["state_bias"], torch.hstack([y, c, s]), p["state_weight"]).tanh()
    return torch.addmm(p["output_bias"], torch.hstack([s, c]), p["output_weight"]), s


# %% tf
def f(token, s, m, mask, p):
    h = tf.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"])
    e = tf.linalg.matvec(h, p["score_weight"])
    w = tf.nn.softmax(tf.where(mask, e, -np.inf))
    c = tf.einsum("bs,bse->be", w, m)
    y = tf.nn.embedding_lookup(p["target"], token)
    s = tf.tanh(tf.concat([y, c, s], 1) @ p["state_weight"] + p["state_bias"])
    return tf.concat([s, c], 1) @ p["output_weight"] + p["output_bias"], s
