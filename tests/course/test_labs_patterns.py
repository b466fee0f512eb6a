"""The labs of chapter 10: their data, their masks and what they ask for."""

import both_frameworks  # noqa: F401
import numpy as np

from attn_course.course.labs import patterns
from experiments import copies


def test_digits_in_reading_order():
    images = patterns.raster("test")
    assert images.shape == (445, 65) and (images[:, 0] == 17).all() and images[:, 1:].max() == 16
    inputs, targets, counted = patterns.tests("digits")
    assert counted == 64 and (inputs[:, 1:] == targets[:, :-1]).all()


def test_bytes_that_count_have_a_past():
    inputs, targets, counted = patterns.tests("text")
    assert inputs.shape[1] == 2 * counted and len(inputs) * counted == patterns.TESTED
    assert (inputs[:, 1:] == targets[:, :-1]).all()
    assert (targets[:-1, -counted:] == inputs[1:, 1 : counted + 1]).all(), "no byte counts twice, none is left out"


def test_patterns_see_a_like_number_of_pairs_and_connect_in_two_layers():
    for data in patterns.DATA:
        dense = patterns.mask_of(data, "dense")
        for kind in ("window", "strided", "fixed"):
            mask = patterns.mask_of(data, kind)
            assert mask.sum() < 0.4 * dense.sum()
            assert ((mask @ mask) == dense).all() == (kind != "window")


def test_copies_ask_for_the_byte_so_far_back():
    letters, targets = next(copies.pieces(np.arange(1000), 40, seed=0))
    assert (targets[:, 40:] == letters[:, 40:] - 40).all() and (targets[:, :40] == copies.NOTHING).all()
    assert copies.seen_share("window", 31, 1) == 1 and copies.seen_share("window", 32, 1) == 0
    assert copies.seen_share("strided", 80, 1) == 1 and copies.seen_share("strided", 40, 1) == 0
    assert 0 < copies.seen_share("fixed", 40, 1) < 0.5 and copies.seen_share("fixed", 40, 2) == 1
