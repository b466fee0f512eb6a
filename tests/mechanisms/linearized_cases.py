"""What the tests of linear attention and its kin share: inputs, conversions."""

import numpy as np
import pytest
from support import numbers, tensor

B, H, K, V, S = 2, 3, 5, 7, 11
LENGTHS = (11, 3, 13)  # T: a whole sequence, behind a cache, more queries than keys


def draw(T=S, seed=0, key_dim=K):
    rng = np.random.default_rng(seed)
    shapes = (B, H, T, key_dim), (B, H, S, key_dim), (B, H, S, V)
    return [rng.normal(size=shape) for shape in shapes]


def per_key(seed=0):
    """A number between 0 and 1 for every key: a decay, beta, a gate; a 0 and a 1 among them."""
    found = np.random.default_rng(seed + 100).uniform(0.2, 1.0, (B, H, S))
    found[0, 0, 3], found[1, 1, 5] = 0.0, 1.0
    return found


def per_column(seed=0):
    """The same for every column of every key."""
    found = np.random.default_rng(seed + 200).uniform(0.2, 1.0, (B, H, S, K))
    found[0, 0, 3], found[0, 1, 4, 2], found[1, 1, 5, 1] = 0.0, 0.0, 1.0
    return found


def padding():
    mask = np.random.default_rng(7).random((B, 1, 1, S)) < 0.7
    mask[0, ..., 0] = mask[0, ..., 1] = False  # from the left: the first queries see nothing
    mask[1] = np.arange(S) < 6
    return mask


def call(face, name, *arrays, **options):
    """A function of a face, from NumPy to NumPy: its output."""
    options = {key: tensor(face, x) for key, x in options.items()}
    return numbers(getattr(face, name)(*(tensor(face, x) for x in arrays), **options)[0])


def refused(face, name, arrays, words, **options):
    with pytest.raises(ValueError, match=words):
        call(face, name, *arrays, **options)
