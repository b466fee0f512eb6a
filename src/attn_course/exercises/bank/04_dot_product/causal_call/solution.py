import numpy as np

from attn_course.exercises import softmax


# %% numpy
def returned(query, key, value):
    ...  # (B, T, K), (B, S, K), (B, S, V); return (B, T, V)
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    seen = np.tri(query.shape[1], key.shape[1]) > 0
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% torch
def returned(query, key, value):
    """torch.nn.functional.scaled_dot_product_attention(
    query, key, value, is_causal=True)"""
    ...  # NumPy: (B, T, K), (B, S, K), (B, S, V); return (B, T, V)
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    seen = np.tri(query.shape[1], key.shape[1]) > 0
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% tf
def returned(query, key, value):
    """keras.layers.Attention()(
    [query, value, key], use_causal_mask=True)"""
    ...  # NumPy: (B, T, K), (B, S, K), (B, S, V); return (B, T, V)
    score = query @ key.swapaxes(1, 2)  # no scale: use_scale is False
    seen = np.tri(query.shape[1], key.shape[1]) > 0
    return softmax(np.where(seen, score, -np.inf)) @ value
