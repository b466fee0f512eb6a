import keras
import numpy as np
import tensorflow as tf
import torch


# %% numpy
def gated(context, x, weight, bias):
    gate = 1 / (1 + np.exp(-(x @ weight + bias)))
    return context * gate.swapaxes(1, 2)[..., None]


# %% torch
class Gate(torch.nn.Module):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # two torch.nn.Parameter
        self.weight = torch.nn.Parameter(torch.zeros(model_dim, num_heads))
        self.bias = torch.nn.Parameter(torch.zeros(num_heads))

    def forward(self, context, x):
        ...  # (B, H, T, V), (B, T, D); return (B, H, T, V)
        gate = torch.sigmoid(x @ self.weight + self.bias)
        return context * gate.mT[..., None]


# %% tf
class Gate(keras.layers.Layer):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        ...  # self.add_weight, twice
        self.weight = self.add_weight((model_dim, num_heads), "zeros")
        self.bias = self.add_weight((num_heads,), "zeros")

    def call(self, context, x):
        ...  # (B, H, T, V), (B, T, D); return (B, H, T, V)
        gate = tf.sigmoid(tf.tensordot(x, self.weight, 1) + self.bias)
        return context * tf.transpose(gate, (0, 2, 1))[..., None]
