import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(q, table):
    T, k = len(q), len(table) // 2
    d = np.arange(T) - np.arange(T)[:, None]
    rows = np.clip(d, -k, k) + k
    return (q[:, None] * table[rows]).sum(-1)


# %% tf
def f(q, table):
    T, k = q.shape[0], table.shape[0] // 2
    i = tf.range(T)
    rows = tf.gather(table, tf.clip_by_value(i - i[:, None], -k, k) + k)
    return tf.einsum("tk,tsk->ts", q, rows)


# %% numpy 2
def f(q, a):
    T, k = len(q), len(a) // 2
    s = q @ a.T
    return np.array([[s[i, min(max(j - i, -k), k) + k] for j in range(T)] for i in range(T)])


# %% torch
def f(q, a):
    T, k = len(q), len(a) // 2
    i = torch.arange(T)
    return (q @ a.T).gather(1, (i - i[:, None]).clamp(-k, k) + k)


# %% torch 2
def f(q, a):
    T, k = len(q), len(a) // 2
    i = torch.arange(T)
    rows = torch.nn.functional.one_hot((i - i[:, None]).clamp(-k, k) + k, len(a)).float() @ a
    return torch.einsum("tk,tsk->ts", q, rows)
