import numpy as np


def norm(query, gain):
    ...  # (B, H, T, K), (H, K); return (B, H, T, K)
    mean = (query**2).mean(axis=(1, 3), keepdims=True)
    return gain[:, None] * query / np.sqrt(mean + 1e-6)
