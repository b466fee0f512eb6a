"""The messages: the argument, what was expected and what came."""

import re

import numpy as np
import pytest

from attn_course.core import shapes
from attn_course.frameworks import tf, torch


def says(words):
    return pytest.raises(ValueError, match=re.escape(words))


def test_sizes_come_back():
    found = shapes.check_shapes({"D": 3}, query=(np.ones((2, 5, 3)), "BTD"), memory=(np.ones((2, 7, 11)), "BSE"))
    assert found == {"D": 3, "B": 2, "T": 5, "S": 7, "E": 11}
    assert shapes.check_shapes(x=(np.ones((2, 3, 5)), "...T")) == {"...": (2, 3), "T": 5}


def test_shape_messages():
    query = np.ones((2, 5, 3))
    with says("query must have shape (B, D), got (2, 5, 3)"):
        shapes.check_shapes(query=(query, "BD"))
    with says("query must have shape (B, T, D) with D = 7 as in the sizes given at construction, got (2, 5, 3)"):
        shapes.check_shapes({"D": 7}, query=(query, "BTD"))
    with says("key must have shape (B, S, D) with B = 2 as in query, got (3, 5, 3)"):
        shapes.check_shapes(query=(query, "BTD"), key=(np.ones((3, 5, 3)), "BSD"))
    with says("key must have shape (..., S) with ... = (2, 5) as in query, got (5, 2, 3)"):
        shapes.check_shapes(query=(query, "...T"), key=(np.ones((5, 2, 3)), "...S"))


def test_unknown_sizes_pass_until_they_are_known():
    unknown = tf.TensorSpec((None, 3))
    assert shapes.check_shapes(a=(unknown, "BD"), b=(np.ones((5, 3)), "BD")) == {"B": 5, "D": 3}
    with says("c must have shape (B, D) with B = 5 as in b, got (2, 3)"):
        shapes.check_shapes(a=(unknown, "BD"), b=(np.ones((5, 3)), "BD"), c=(np.ones((2, 3)), "BD"))


@pytest.mark.parametrize("make", [np.ones, torch.ones, tf.ones], ids=["numpy", "torch", "tf"])
def test_dtype_messages(make):
    name = shapes.dtype_name(make((2,)))
    with says(f"tokens must be integers, got {name}"):
        shapes.check_tokens("tokens", make((2,)))
    with says(f"mask must be bool (True = may attend), got {name}"):
        shapes.check_mask_dtype(make((2,)))
    with says(f"key must be {name} like query, got float16"):
        shapes.check_floats(query=make((2,)), key=np.ones(2, np.float16))
    with says("query must be floating, got int64"):
        shapes.check_floats(query=np.ones(2, np.int64))


def test_mask_messages():
    with says("mask must have shape (T, S) = (5, 7) or align with the scores (2, 3, 5, 7), got (2, 7). Padding"):
        shapes.check_head_mask(np.ones((2, 7), bool), (2, 3, 5, 7))
    with says("got (2, 5, 7). A mask (B, T, S) for all heads is passed as mask[:, None]"):
        shapes.check_head_mask(np.ones((2, 5, 7), bool), (2, 3, 5, 7))
    with says("got (2, 3, 7, 5)"):
        shapes.check_head_mask(np.ones((2, 3, 7, 5), bool), (2, 3, 5, 7))
    with says("mask must have shape (B, S) = (2, 7) or (B, T, S) = (2, 5, 7), got (2, 5)"):
        shapes.check_memory_mask(np.ones((2, 5), bool), 2, 5, 7)
    for good in ((5, 7), (1, 1, 5, 7), (2, 1, 1, 7), (2, 3, 5, 7)):
        shapes.check_head_mask(np.ones(good, bool), (2, 3, 5, 7))
    for good in ((2, 7), (2, 5, 7)):
        shapes.check_memory_mask(np.ones(good, bool), 2, 5, 7)
