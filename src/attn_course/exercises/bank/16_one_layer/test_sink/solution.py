import numpy as np


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
