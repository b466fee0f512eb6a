import numpy as np
import tensorflow as tf
import torch


# %% numpy
def f(K, base, s, most):
    pairs = np.arange(K // 2)
    theta = base ** (-2 * pairs / K)
    low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
    low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
    ramp = np.clip((pairs - low) / (high - low), 0, 1)
    return theta * (1 - ramp) + theta / s * ramp


# %% torch
def f(K, base, s, most):
    pairs = torch.arange(K // 2, dtype=torch.float64)
    theta = base ** (-2 * pairs / K)
    low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
    low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
    return torch.lerp(theta, theta / s, ((pairs - low) / (high - low)).clamp(0, 1))


# %% tf
def f(K, base, s, most):
    pairs = tf.range(K // 2, dtype=tf.float64)
    theta = tf.pow(tf.constant(base, tf.float64), -2 * pairs / K)
    low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
    low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
    ramp = tf.clip_by_value((pairs - low) / (high - low), 0, 1)
    return theta * (1 - ramp) + theta / s * ramp


# %% numpy 2
def f(K, base, s, most):
    from attn_course.reference import rotary_frequencies

    return rotary_frequencies(K, base=base, method="yarn", factor=s, trained_length=most)[0]
