def self_attention(x, query_weight, key_weight, value_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    score = query @ key.T / np.sqrt(x.shape[1])
    return softmax(score, axis=0) @ value
