def attention(query, key, value, mask):
    score = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(score) * mask
    return weights / weights.sum(axis=1, keepdims=True) @ value
