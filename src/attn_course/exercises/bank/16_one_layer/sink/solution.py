import numpy as np


def sink_softmax(score, mask, sink):
    ...  # (H, T, S), (T, S), (H); return (H, T, S)
    score = np.where(mask, score, -np.inf)
    column = np.broadcast_to(sink[:, None, None], (*score.shape[:2], 1))
    score = np.concatenate([score, column], axis=2)
    weights = np.exp(score - score.max(axis=2, keepdims=True))
    weights = weights / weights.sum(axis=2, keepdims=True)
    return weights[:, :, :-1]
