import numpy as np


# %% it finds 0 of 24: nothing is tested
def test(attention):
    pass


# %% it refuses a right function: everything is refused
def test(attention):
    assert False


# %% it finds: a test of the shape alone
def test(attention):
    q = np.ones((2, 3))
    assert attention(q, q, q, np.ones((2, 2), bool)).shape == (2, 3)


# %% it refuses a right function: by a name that is not there
def test(attention):
    assert attention.__name__ == "attention"


# %% it finds: by the file that it comes from
def test(attention):
    assert "mistakes" not in attention.__code__.co_filename


# %% it refuses a right function: by its source
def test(attention):
    assert hasattr(attention, "source")


# %% it refuses a right function: the first one passes, whatever it is
def test(attention, seen=[]):
    seen.append(attention)
    assert len(seen) == 1


# %% it refuses a right function: every other one is refused
def test(attention, seen=[]):
    seen.append(attention)
    assert len(seen) % 2


# %% it refuses a right function: rounding is no mistake
def test(attention):
    q, m = np.arange(6.0).reshape(2, 3), np.ones((2, 2), bool)
    s = q @ q.T / np.sqrt(3)
    e = np.exp(s - s.max(1, keepdims=True))
    assert (attention(q, q, q, m) == e / e.sum(1, keepdims=True) @ q).all()


# %% it refuses a right function: an empty row is a mean there
def test(attention):
    q = np.ones((2, 3))
    assert np.allclose(attention(q, q, q, np.zeros((2, 2), bool)), q)


# %% it finds: sums of weights alone
def test(attention):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    assert np.allclose(attention(q, k, np.ones((5, 2)), np.ones((3, 5), bool)), 1)


# %% it refuses a right function: what it raises is no AssertionError
def test(attention):
    raise SystemExit(0)


# %% it refuses a right function: a name is misspelled
def test(attention):
    assert np.alclose(1, 1)


# %% it finds 0 of 24: the place of the case is read in the frames above
def test(attention):
    import sys

    frame = sys._getframe()
    while frame is not None:
        for name, value in frame.f_locals.items():
            assert name != "place" or value < 2
            assert name != "case" or value.arguments[1] < 2
        frame = frame.f_back
