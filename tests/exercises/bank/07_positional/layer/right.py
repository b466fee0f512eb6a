import keras
import tensorflow as tf
import torch


# %% torch
class Own(torch.nn.Module):
    def __init__(self, length, D):
        super().__init__()
        self.table = torch.nn.Parameter(torch.zeros(length, D))

    def forward(self, x, positions):
        return torch.nn.functional.embedding(positions, self.table) + x


# %% tf
class Own(keras.layers.Layer):
    def __init__(self, length, D):
        super().__init__()
        self.table = self.add_weight((length, D))

    def call(self, x, positions):
        return x + tf.one_hot(positions, self.table.shape[0], dtype=x.dtype) @ self.table
