def new_animal(keys, queries):
    ...  # (17, 2), (12, 2); return (2)
    return keys[:8].mean(axis=0)
