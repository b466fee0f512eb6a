import keras
import numpy as np
import tensorflow as tf
import torch

from attn_course.exercises import softmax


# %% numpy
def layer(x, query_weight, key_weight, value_weight, output_weight, sizes):
    B, T, D = x.shape
    H = sizes[1]
    maps = (query_weight, key_weight, value_weight)
    query, key, value = ((x @ w).reshape(B, T, H, -1).swapaxes(1, 2) for w in maps)
    score = query @ key.swapaxes(2, 3) / np.sqrt(D // H)
    context = softmax(score) @ value
    return context.swapaxes(1, 2).reshape(B, T, D) @ output_weight


# %% torch
class Heads(torch.nn.Module):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # four torch.nn.Parameter
        new = lambda: torch.nn.Parameter(torch.randn(model_dim, model_dim) / 4)
        self.query_weight, self.key_weight = new(), new()
        self.value_weight, self.output_weight = new(), new()
        self.num_heads = num_heads

    def forward(self, x):
        ...  # (B, T, D); return (B, T, D)
        H = self.num_heads
        split = lambda y: y.unflatten(-1, (H, -1)).transpose(1, 2)
        query = split(x @ self.query_weight)
        key = split(x @ self.key_weight)
        value = split(x @ self.value_weight)
        score = query @ key.mT / key.shape[-1] ** 0.5
        context = torch.softmax(score, dim=-1) @ value
        return context.transpose(1, 2).flatten(2) @ self.output_weight


# %% tf
class Heads(keras.layers.Layer):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        new = lambda: self.add_weight((model_dim, model_dim))
        self.query_weight, self.key_weight = new(), new()
        self.value_weight, self.output_weight = new(), new()
        self.num_heads = num_heads

    def split(self, y):
        B, T = tf.shape(y)[0], tf.shape(y)[1]  # known when it runs
        y = tf.reshape(y, (B, T, self.num_heads, -1))
        return tf.transpose(y, (0, 2, 1, 3))

    def call(self, x):
        query = self.split(x @ self.query_weight)
        key = self.split(x @ self.key_weight)
        value = self.split(x @ self.value_weight)
        score = tf.matmul(query, key, transpose_b=True)
        width = self.query_weight.shape[0] // self.num_heads
        weights = tf.nn.softmax(score / width**0.5)
        context = tf.transpose(weights @ value, (0, 2, 1, 3))
        return tf.reshape(context, tf.shape(x)) @ self.output_weight
