"""What the tests of positions share: sizes, conversions, layers in either framework."""

import numpy as np
import pytest

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch

B, H, T, S, D, K, LONGEST = 2, 3, 5, 7, 11, 6, 13
FACE = pytest.mark.parametrize("face", [pytorch, tf])
FACES = pytest.mark.parametrize("face", [reference, pytorch, tf])
LAYOUT = pytest.mark.parametrize("layout", ["half", "interleaved"])


def to(face, *arrays, dtype="float64"):
    """Real numbers in the dtype asked for, whole ones as they are."""
    if face is reference:
        return arrays[0] if len(arrays) == 1 else list(arrays)
    if face is pytorch:
        made = [torch.from_numpy(np.asarray(x)) for x in arrays]
        made = [x.to(getattr(torch, dtype)) if x.is_floating_point() else x for x in made]
    else:
        made = [tensorflow.constant(x) for x in arrays]
        made = [tensorflow.cast(x, dtype) if x.dtype.is_floating else x for x in made]
    return made[0] if len(made) == 1 else made


def kind(face, dtype="float64"):
    """The options that ask a function for a dtype; the specification has one only."""
    return {} if face is reference else {"dtype": getattr(torch if face is pytorch else tensorflow, dtype)}


def numbers(x):
    if torch.is_tensor(x):
        return x.detach().double().numpy()
    return tensorflow.cast(x, tensorflow.float64).numpy() if tensorflow.is_tensor(x) else np.asarray(x)


def close(found, expected, tolerance=1e-10):
    np.testing.assert_allclose(numbers(found), numbers(expected), tolerance, tolerance)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def build(face, name, *sizes, dtype="float64", **options):
    if face is tf:
        return getattr(tf, name)(*sizes, **options, dtype=dtype)
    return getattr(pytorch, name)(*sizes, **options).to(getattr(torch, dtype))


def caught(check, *inputs):
    with pytest.raises(AssertionError):
        check(*inputs)
