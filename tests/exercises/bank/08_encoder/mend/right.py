import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def f(x, past, places, wq, wk, wv):
    S = len(past)
    rows = np.concatenate([past, x + places[S : S + len(x)]])
    s = rows[S:] @ wq @ (rows @ wk).T / np.sqrt(len(wk))
    seen = np.arange(len(rows)) <= np.arange(S, len(rows))[:, None]
    return softmax(np.where(seen, s, -np.inf)) @ rows @ wv, rows


# %% torch
def f(x, past, places, wq, wk, wv):
    S = len(past)
    rows = torch.cat([past, x + places[S : S + len(x)]])
    q, k, v = rows[S:] @ wq, rows @ wk, rows @ wv
    seen = torch.ones(len(x), len(rows), dtype=torch.bool).tril(S)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen), rows


# %% tf
def f(x, past, places, wq, wk, wv):
    T, S = tf.shape(x)[0], tf.shape(past)[0]
    rows = tf.concat([past, x + places[S : S + T]], 0)
    s = tf.matmul(rows[S:] @ wq, rows @ wk, transpose_b=True) / wk.shape[1] ** 0.5
    seen = tf.range(S + T) <= tf.range(S, S + T)[:, None]
    return tf.nn.softmax(tf.where(seen, s, -np.inf)) @ (rows @ wv), rows


# %% numpy 2
def f(x, past, places, wq, wk, wv):
    rows, out = list(past), []
    for row in x:
        rows.append(row + places[len(rows)])
        all_rows = np.array(rows)
        s = all_rows @ wk @ (rows[-1] @ wq) / len(wk) ** 0.5
        e = np.exp(s - s.max())
        out.append(e / e.sum() @ all_rows @ wv)
    return np.array(out), np.array(rows)
