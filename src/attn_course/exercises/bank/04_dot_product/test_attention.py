"""Write a test, `test(attention)`: it gets somebody's `attention(query, key, value,
mask)`, query (T, K), key (S, K), value (S, V), mask (T, S), True where allowed, and a
row of zeros where nothing is allowed; it raises an AssertionError if that function is
wrong. 24 wrong functions are waiting, each with a mistake that people make, among right
ones. Find at least 20, and refuse none that is right.

1. What holds for every right function? A mean of values, nothing from behind the mask.
2. A mask with an empty row; scores of +-800 and of -12,000; T, S, K and V all
   different.
3. Compute what is right row by row, over mask[t] alone, and compare with np.allclose.
"""

title = "break it: a test that finds wrong functions"
level, minutes = 2, 20
kind = "test"
before = "04.attention"
of = "04.attention"
needed = 20


# %% solution
def test(attention):
    ...  # call it, compare, assert
    rng = np.random.default_rng(0)
    sizes = (3, 5), (7, 5), (7, 2)
    query, key, value = (rng.normal(size=size) for size in sizes)
    mask = rng.random((3, 7)) < 0.5
    mask[:, :2], mask[2], query[:, 0] = [True, False], False, 1
    for scale, low in ((1, 0), (1, -12000), (800, 0)):
        key[:, 0] = low * np.sqrt(5)
        score, wanted = scale * query @ key.T / np.sqrt(5), np.zeros((3, 2))
        for t in range(2):
            weights = np.exp(score[t, mask[t]] - score[t, mask[t]].max())
            wanted[t] = weights @ value[mask[t]] / weights.sum()
        found = attention(scale * query, key, value, mask)
        if not np.allclose(found, wanted):
            raise AssertionError(f"{found}, expected {wanted}")
