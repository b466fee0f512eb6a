"""The same checks pass the real implementations and fail every wrong one, by name."""

import numpy as np
import pytest
from checks import CHECKS
from wrong import WRONG, build

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch


def in_torch(*arrays, causal=False):
    # Not copied: an implementation that changes its argument changes the array that the check looks at.
    tensors = [None if array is None else torch.from_numpy(array) for array in arrays]
    return [found.numpy() for found in pytorch.scaled_dot_product_attention(*tensors, causal=causal)]


def in_tf(*arrays, causal=False):
    tensors = [None if array is None else tensorflow.constant(array) for array in arrays]
    return [found.numpy() for found in tf.scaled_dot_product_attention(*tensors, causal=causal)]


RIGHT = {
    "reference": reference.scaled_dot_product_attention,
    "pytorch": in_torch,
    "tf": in_tf,
    "the bank without a fault": build(),
}


def caught_by(attend):
    """The names of the checks that fail; only a failed assertion counts, not a crash."""
    names = set()
    for name, check in CHECKS.items():
        try:
            with np.errstate(all="ignore"):
                check(attend)
        except AssertionError:
            names.add(name)
    return names


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", RIGHT)
def test_right_passes(name, check):
    CHECKS[check](RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_wrong_is_caught_by_name(name):
    attend, expected = WRONG[name]
    missed = expected - caught_by(attend)
    assert not missed, f"{name!r} passes {sorted(missed)}"


def test_every_check_can_fail():
    named = set().union(*(expected for _, expected in WRONG.values()))
    assert named == set(CHECKS), "each check must be the named catcher of at least one fault"
