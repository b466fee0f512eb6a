import keras
import numpy as np
import tensorflow as tf
import torch


# %% torch
class Own(torch.nn.Module):
    def __init__(self, D, E):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(D, E))

    def forward(self, q, m, mask):
        q = q @ self.weight
        return torch.nn.functional.scaled_dot_product_attention(q, m, m, mask[:, None], scale=1.0)


# %% tf
class Own(keras.layers.Layer):
    def __init__(self, D, E):
        super().__init__()
        self.shape = D, E

    def build(self, *shapes):
        self.weight = self.add_weight(self.shape)

    def call(self, q, m, mask):
        s = tf.einsum("btd,de,bse->bts", q, self.weight, m)
        return tf.nn.softmax(tf.where(mask[:, None], s, -np.inf)) @ m
