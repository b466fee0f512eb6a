import numpy as np


# %% numpy
def head(N, T):
    """Keys of another basis, and twice as wide."""
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(2 * T, 2 * T)))[0][:T]
    none = np.zeros((N, 2 * T))
    query = np.concatenate([none, 90 * np.eye(T, k=-1) @ basis])
    key = np.concatenate([none, 3 * np.sqrt(T) * basis])
    return query, key, np.concatenate([3 * np.eye(N), np.zeros((T, N))]), np.eye(N)


# %% numpy 2
def head(N, T):
    """Positions on a circle: two columns, turned back by one step."""
    angle = 2 * np.pi * np.arange(T) / max(T, 2)
    own = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    step = angle - 2 * np.pi / max(T, 2)
    before = np.stack([np.cos(step), np.sin(step)], axis=1)
    value = np.concatenate([np.eye(N), np.zeros((T, N))])
    none = np.zeros((N, 2))
    return np.concatenate([none, 1e4 * before]), np.concatenate([none, own]), value, np.eye(N)
