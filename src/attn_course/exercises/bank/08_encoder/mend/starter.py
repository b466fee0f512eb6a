from attn_course.exercises import softmax


def attend(x, past, places, query_weight, key_weight, value_weight):
    T, S = len(x), len(past)
    rows = np.concatenate([past, x + places[S + 1 : S + T + 1]])
    query, key = rows[S:] @ query_weight, rows @ key_weight
    score = query @ key.T
    seen = np.tri(T, S + T, S + 1, dtype=bool)
    weights = softmax(np.where(seen, score, -np.inf))
    return weights @ (rows @ value_weight), rows
