import numpy as np

from attn_course.exercises import softmax


def attend(x, past, places, query_weight, key_weight, value_weight):
    T, S = len(x), len(past)
    rows = np.concatenate([past, x + places[S : S + T]])
    query, key = rows[S:] @ query_weight, rows @ key_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    seen = np.tri(T, S + T, S, dtype=bool)
    weights = softmax(np.where(seen, score, -np.inf))
    return weights @ (rows @ value_weight), rows
