import numpy as np


# %% numpy
def test(attention):
    """Properties alone: no second attention stands beside the first."""
    rng = np.random.default_rng(1)
    for scale in (1.0, 400.0):
        q, k, v = scale * rng.normal(size=(4, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
        mask = rng.random((4, 6)) < 0.6
        mask[:, 0], mask[3] = True, False
        out = attention(q, k, v, mask)
        assert out.shape == (4, 2) and np.allclose(out[3], 0)
        assert np.allclose(attention(q, k, np.ones((6, 2)), mask)[:3], 1)
        for t in range(3):
            own = attention(q[t : t + 1], k[mask[t]], v[mask[t]], np.ones((1, mask[t].sum()), bool))
            assert np.allclose(own[0], out[t])
    one, two = np.array([[3.0, 4.0, 0.0, 0.0]]), np.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0]])
    out = attention(one, two, np.eye(2), np.ones((1, 2), bool))
    assert np.allclose(out, [[1 / (1 + np.exp(1.5)), 1 / (1 + np.exp(-1.5))]])
    k = np.array([[-9e4, 0, 0, 0], [-9e4, 1, 0, 0], [0, 0, 0, 0]])
    out = attention(one, k, np.eye(3), np.array([[True, True, False]]))
    assert np.allclose(out, [[1 / (1 + np.exp(2)), 1 / (1 + np.exp(-2)), 0]])
    v = np.array([[1.0, 2, 3, 4, 5]] * 3)
    assert np.allclose(attention(one, k, v, np.ones((1, 3), bool)), v[:1])


# %% numpy 2
def test(attention):
    """By loops over numbers."""
    rng = np.random.default_rng(3)
    for add, by in ((0, 1), (-20000, 1), (0, 900)):
        q, k, v = rng.normal(size=(2, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 4))
        q[:, 0], k[:, 0] = 1, add
        q = q * by
        mask = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0]], bool)
        kept = [0, 2, 3]
        s = np.array([sum(q[0] * k[j]) / 3**0.5 for j in kept])
        e = np.exp(s - max(s))
        wanted = sum(w * v[j] for w, j in zip(e / e.sum(), kept))
        found = attention(q, k, v, mask)
        assert np.abs(found - np.array([wanted, 0 * wanted])).max() < 1e-6
