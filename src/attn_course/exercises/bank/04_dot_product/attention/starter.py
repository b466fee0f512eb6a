def attention(query, key, value, mask):
    score = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(score) * mask
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ value
