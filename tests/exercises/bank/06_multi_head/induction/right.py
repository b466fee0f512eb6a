import numpy as np


# %% numpy
def head(N):
    """Another basis, the factor at the queries, values twice as large."""
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(N, N)))[0]
    none = np.zeros((N, N))
    query, key = np.concatenate([300 * basis, none]), np.concatenate([none, basis])
    return query, key, np.concatenate([2 * basis, none]), basis.T


# %% numpy 2
def head(N):
    """Tokens on a circle: two columns for the keys."""
    angle = 2 * np.pi * np.arange(N) / N
    circle, none = np.stack([np.cos(angle), np.sin(angle)], axis=1), np.zeros((N, 2))
    value = np.concatenate([np.eye(N), np.zeros((N, N))])
    return np.concatenate([1e5 * circle, none]), np.concatenate([none, circle]), value, np.eye(N)
