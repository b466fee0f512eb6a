import numpy as np


# %% numpy
def test(sink_softmax):
    """Properties alone: the rows' sums, the ratios of weights, and what a mask leaves out."""
    rng = np.random.default_rng(1)
    for scale in (1.0, 700.0):
        score, sink = scale * rng.normal(size=(3, 4, 6)), np.array([2.0, 0.5, -1.0])
        mask = rng.random((4, 6)) < 0.5
        mask[:, 1], mask[3] = True, False
        out = sink_softmax(score, mask, sink)
        assert out.shape == score.shape and np.allclose(out[:, 3], 0)
        assert np.allclose(out[:, ~mask], 0)
        for h in range(3):
            for t in range(3):
                top = score[h, t, mask[t]].max()
                lse = top + np.log(np.exp(score[h, t, mask[t]] - top).sum())
                assert np.allclose(out[h, t, mask[t]], np.exp(score[h, t, mask[t]] - np.logaddexp(lse, sink[h])))


# %% numpy 2
def test(sink_softmax):
    """One key: its weight is a sigmoid; and two, by hand."""
    one = np.ones((1, 1), bool)
    for score, sink in ((0.0, 1.0), (2.0, -1.0), (-3.0, 0.5)):
        found = sink_softmax(np.array([[[score]], [[score]]]), one, np.array([sink, 2 * sink]))
        assert np.allclose(found[:, 0, 0], 1 / (1 + np.exp(np.array([sink, 2 * sink]) - score)))
    score = np.array([[[np.log(2.0), 5.0, 0.0], [0.0, 0.0, 0.0]]])
    mask = np.array([[True, False, True], [False, False, False]])
    found = sink_softmax(score, mask, np.array([np.log(5.0)]))
    assert found.shape == (1, 2, 3) and np.allclose(found, [[[0.25, 0, 0.125], [0, 0, 0]]])
    found = sink_softmax(np.array([[[900.0, 900.0]]]), np.ones((1, 2), bool), np.zeros(1))
    assert np.allclose(found, 0.5)
