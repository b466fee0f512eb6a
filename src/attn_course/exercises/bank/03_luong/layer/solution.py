import keras
import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def layer(query, memory, mask, weight):
    score = query @ weight @ memory.swapaxes(1, 2)
    return softmax(np.where(mask[:, None], score, -np.inf)) @ memory


# %% torch
class General(torch.nn.Module):
    def __init__(self, query_dim, memory_dim):
        super().__init__()
        ...  # a torch.nn.Parameter
        start = torch.randn(query_dim, memory_dim) / 4
        self.weight = torch.nn.Parameter(start)

    def forward(self, query, memory, mask):
        ...  # (B, T, H), (B, S, E), (B, S); return (B, T, E)
        score = query @ self.weight @ memory.mT
        score = score.masked_fill(~mask[:, None], -torch.inf)
        return torch.softmax(score, dim=-1) @ memory


# %% tf
class General(keras.layers.Layer):
    def __init__(self, query_dim, memory_dim):
        super().__init__()
        ...  # self.add_weight
        self.weight = self.add_weight((query_dim, memory_dim))

    def call(self, query, memory, mask):
        ...  # (B, T, H), (B, S, E), (B, S); return (B, T, E)
        score = tf.matmul(query @ self.weight, memory, transpose_b=True)
        score = tf.where(mask[:, None], score, -np.inf)
        return tf.nn.softmax(score) @ memory
