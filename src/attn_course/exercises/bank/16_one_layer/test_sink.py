"""Write a test, `test(sink_softmax)`: it gets somebody's `sink_softmax(score, mask,
sink)`, score (H, T, S), mask (T, S), True where allowed, sink (H), which gives weights
(H, T, S), and a row of zeros where nothing is allowed; it raises an AssertionError if
that function is wrong. 10 wrong functions are waiting, each with a mistake that people
make, among right ones. Find at least 8, and refuse none that is right.

1. What holds for every right row? It sums to sigmoid(lse - b), over what the mask
   allows.
2. A sink for each head, of both signs; an empty row; scores of +-800; H, T and S
   different.
3. Compute what is right row by row, with the sink appended, and compare with
   np.allclose.
"""

title = "break it: a test that finds wrong sinks"
level, minutes = 2, 20
kind = "test"
before = "16.sink"
of = "16.sink"
needed = 8


# %% solution
def test(sink_softmax):
    ...  # call it, compare, assert
    rng = np.random.default_rng(0)
    score, sink = rng.normal(size=(2, 3, 5)), np.array([1.0, -0.5])
    mask = rng.random((3, 5)) < 0.6
    mask[:, 0], mask[2] = True, False
    for scale in (1, 800):
        wanted = np.zeros((2, 3, 5))
        for h, t in ((0, 0), (0, 1), (1, 0), (1, 1)):
            joined = np.append(scale * score[h, t, mask[t]], sink[h])
            weights = np.exp(joined - joined.max())
            wanted[h, t, mask[t]] = weights[:-1] / weights.sum()
        found = sink_softmax(scale * score, mask, sink)
        if found.shape != (2, 3, 5) or not np.allclose(found, wanted):
            raise AssertionError(f"{found}, expected {wanted}")
