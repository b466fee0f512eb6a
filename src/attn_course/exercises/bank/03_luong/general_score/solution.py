def general_score(query, memory, weight):
    ...  # (B, T, H), (B, S, E), (H, E); return (B, T, S)
    return query @ weight @ memory.swapaxes(1, 2)
