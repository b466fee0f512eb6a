import numpy as np


# %% it finds 0 of 10: nothing is tested
def test(sink_softmax):
    pass


# %% it refuses a right function: everything is refused
def test(sink_softmax):
    assert False


# %% it finds: a test of the shape alone
def test(sink_softmax):
    assert sink_softmax(np.ones((2, 3, 4)), np.ones((3, 4), bool), np.ones(2)).shape == (2, 3, 4)


# %% it refuses a right function: rows of a softmax with a sink don't sum to 1
def test(sink_softmax):
    assert np.allclose(sink_softmax(np.ones((2, 3, 4)), np.ones((3, 4), bool), np.ones(2)).sum(-1), 1)


# %% it refuses a right function: by a name that is not there
def test(sink_softmax):
    assert sink_softmax.__name__ == "sink_softmax"


# %% it finds: by the file that it comes from
def test(sink_softmax):
    assert "mistakes" not in sink_softmax.__code__.co_filename


# %% it refuses a right function: by its source
def test(sink_softmax):
    assert hasattr(sink_softmax, "source")


# %% it refuses a right function: the first one passes, whatever it is
def test(sink_softmax, seen=[]):
    seen.append(sink_softmax)
    assert len(seen) == 1


# %% it refuses a right function: rounding is no mistake
def test(sink_softmax):
    score, sink = np.arange(6.0).reshape(1, 2, 3), np.array([0.3])
    e = np.exp(score)
    assert (sink_softmax(score, np.ones((2, 3), bool), sink) == e / (e.sum(2, keepdims=True) + np.exp(0.3))).all()


# %% it refuses a right function: an empty row is even there
def test(sink_softmax):
    assert np.allclose(sink_softmax(np.ones((1, 1, 2)), np.zeros((1, 2), bool), np.zeros(1)), 1 / 3)


# %% it finds: sums below 1 alone
def test(sink_softmax):
    assert (sink_softmax(np.ones((2, 3, 4)), np.ones((3, 4), bool), np.ones(2)).sum(-1) < 1).all()


# %% it refuses a right function: what it raises is no AssertionError
def test(sink_softmax):
    raise SystemExit(0)


# %% it refuses a right function: a name is misspelled
def test(sink_softmax):
    assert np.alclose(1, 1)
