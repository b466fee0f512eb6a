import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(b, n):
    chunk = np.argsort(np.argsort(b, kind="stable")) // n
    back = chunk[:, None] - chunk
    m = ((back == 0) | (back == 1)) & (b[:, None] == b)
    m = m & ~np.eye(len(b), dtype=bool)
    return m | np.diag(~m.any(1))


# %% torch
def f(b, n):
    chunk = torch.argsort(torch.argsort(b, stable=True)) // n
    back = chunk[:, None] - chunk
    own = torch.eye(len(b), dtype=torch.bool)
    m = ((back == 0) | (back == 1)) & (b[:, None] == b) & ~own
    return m | own & ~m.any(1)[:, None]


# %% tf
def f(b, n):
    chunk = tf.argsort(tf.argsort(b, stable=True)) // n
    back = chunk[:, None] - chunk
    own = tf.eye(len(b)) > 0
    m = ((back == 0) | (back == 1)) & (b[:, None] == b) & ~own
    return m | own & ~tf.reduce_any(m, 1, keepdims=True)


# %% numpy 2
def f(b, n):
    order = sorted(range(len(b)), key=lambda i: (b[i], i))
    chunk = {i: place // n for place, i in enumerate(order)}
    rows = []
    for i in range(len(b)):
        row = [i != j and b[i] == b[j] and chunk[i] - chunk[j] in (0, 1) for j in range(len(b))]
        rows.append(row if any(row) else [i == j for j in range(len(b))])
    return np.array(rows)
