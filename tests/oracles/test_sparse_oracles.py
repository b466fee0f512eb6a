"""Sparse patterns against local-attention, flash-attn and FlexAttention; what they call a window.

The first two are stored by ``make_goldens.py``; transformers: tests/clients.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest
from support import FACES, numbers, to

from attn_course import masks, pytorch
from attn_course.frameworks import torch

GOLDENS = np.load(Path(__file__).with_name("sparse.npz"))


@FACES
@pytest.mark.parametrize("library", ["local", "flash"])
@pytest.mark.parametrize("causal", [False, True])
def test_some_libraries_count_the_distance(face, library, causal):
    """local-attention's exact window of w is our w + 1, and not our w; so is flash-attn's window_size = (w, 0)."""
    heads, theirs, w = to(face, *GOLDENS[f"{library}/heads"]), GOLDENS[f"{library}/{causal}"], 4
    output, _ = face.sliding_window_attention(*heads, w + 1, causal=causal)
    np.testing.assert_allclose(numbers(output), theirs, rtol=1e-6, atol=1e-7)
    other, _ = face.sliding_window_attention(*heads, w, causal=causal)
    assert np.abs(numbers(other) - theirs).max() > 1e-2


def rules():
    """Name, arguments, and the pattern as a rule of indices, as FlexAttention wants it."""
    layout = torch.from_numpy(masks.big_bird_layout(10, num_random=2, seed=3))
    yield "sliding_window_attention", {"window": 7}, lambda b, h, i, j: (i - j).abs() < 7
    yield "sliding_window_attention", {"window": 7, "causal": True}, lambda b, h, i, j: (j <= i) & (i - j < 7)
    given = {"window": 3, "dilation": 5}
    yield "dilated_window_attention", given, lambda b, h, i, j: ((i - j).abs() < 15) & ((i - j) % 5 == 0)
    given = {"window": 4, "positions": [11]}
    yield "longformer_attention", given, lambda b, h, i, j: ((i - j).abs() < 4) | (i == 11) | (j == 11)
    yield "strided_attention", {"stride": 9}, lambda b, h, i, j: (j <= i) & ((i - j <= 9) | ((i - j) % 9 == 0))
    given = {"stride": 9, "summary": 2}
    yield "fixed_attention", given, lambda b, h, i, j: (j <= i) & ((i // 9 == j // 9) | (j % 9 >= 7))
    given = {"block_size": 16, "num_random": 2, "seed": 3}
    yield "big_bird_attention", given, lambda b, h, i, j: layout[i // 16, j // 16]


@pytest.mark.parametrize("rule", list(rules()), ids=lambda rule: rule[0])
def test_flex_attention_with_the_same_rules(rule):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    (name, given, rule), n = rule, 151
    heads = torch.tensor(np.random.default_rng(0).normal(size=(3, 1, 2, n, 5)))
    with warnings.catch_warnings(action="ignore"):  # it says that it is not compiled
        blocks = create_block_mask(rule, None, None, n, n, device="cpu")
        expected = flex_attention(*heads, block_mask=blocks)
    found, _ = getattr(pytorch, name)(*heads, **given)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)
