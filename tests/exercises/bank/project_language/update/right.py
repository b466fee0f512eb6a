import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(x, g, m, v, t, rate):
    m, v = m + 0.1 * (g - m), v + 0.01 * (g * g - v)
    top, low = m / (1 - 0.9**t), v / (1 - 0.99**t)
    return x - rate * top / (low**0.5 + 1e-8), m, v


# %% torch
def f(x, g, m, v, t, rate):
    m, v = torch.lerp(m, g, 0.1), torch.lerp(v, g * g, 0.01)
    return x - rate * m / (1 - 0.9**t) / ((v / (1 - 0.99**t)).sqrt() + 1e-8), m, v


# %% tf
def f(x, g, m, v, t, rate):
    m, v = m + 0.1 * (g - m), v + 0.01 * (g * g - v)
    return x - rate * m / (1 - 0.9**t) / (tf.sqrt(v / (1 - 0.99**t)) + 1e-8), m, v
