def bowl():
    ...  # return two keys, loud and quiet, each (x, y)
    return (1.7, 1.7), (-1.5, -1.5)
