import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(texts, characters):
    width = max(len(text) for text in texts)
    rows = [[characters.find(each) + 4 for each in text] for text in texts]
    rows = [[number if number > 3 else 3 for number in row] for row in rows]
    tokens = np.array([row + [0] * (width - len(row)) for row in rows])
    return tokens, tokens > 0


# %% torch
def f(texts, characters):
    rows = [torch.tensor([characters.find(c) + 4 for c in text], dtype=torch.long) for text in texts]
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return tokens, tokens != 0


# %% tf
def f(texts, characters):
    rows = [[characters.find(c) + 4 for c in text] for text in texts]
    tokens = tf.ragged.constant(rows, dtype=tf.int32).to_tensor()
    return tokens, tokens != 0
