"""Sparse patterns against Hugging Face, local-attention, flash-attn, FlexAttention; what they call a window."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch

GOLDENS = np.load(Path(__file__).with_name("sparse.npz"))
FACES = {"reference": reference, "pytorch": pytorch, "tf": tf}
CONVERT = {"reference": np.asarray, "pytorch": torch.tensor, "tf": tensorflow.constant}
FACE = pytest.mark.parametrize("face", FACES)


def golden(part):
    return {key.split("/")[1]: GOLDENS[key] for key in GOLDENS.files if key.startswith(part + "/")}


def heads_of(found, num_heads):
    """The library's own projections, split into heads."""
    for name in ("query", "key", "value"):
        x = found["x"] @ found[f"{name}_weight"] + found[f"{name}_bias"]
        yield reference.split_heads(x, num_heads)


def run(face, name, inputs, *given, **options):
    output, _ = getattr(FACES[face], name)(*map(CONVERT[face], inputs), *given, **options)
    return np.asarray(output)


@FACE
def test_longformer_is_hugging_faces(face):
    """Their attention_window counts both sides together, ours one side and the query itself."""
    found, side = golden("longformer"), int(GOLDENS["side"])
    S, padded = found["x"].shape[1], GOLDENS["padded"]
    real = masks.padding_mask(S - padded, S)
    options = {"window": side + 1, "positions": GOLDENS["global"].tolist()}
    inputs = list(heads_of(found, 2))
    output = reference.merge_heads(run(face, "longformer_attention", inputs, mask=real[:, None, None], **options))
    np.testing.assert_allclose(output[real], found["output"][real], rtol=1e-6, atol=1e-7)
    options["window"] = side
    other = reference.merge_heads(run(face, "longformer_attention", inputs, mask=real[:, None, None], **options))
    assert np.abs(other[real] - found["output"][real]).max() > 1e-2


@FACE
def test_blocks_are_big_birds_of_hugging_face(face):
    """Its layout, read off its own weights, has the ends, the window and two random blocks of ours."""
    found, block_size = golden("big bird"), int(GOLDENS["block"])
    layout = found["layout"]
    ours = masks.big_bird_layout(len(layout), num_random=0, seed=0)
    assert layout[ours].all()
    extra = (layout & ~ours).sum(axis=1)
    assert set(extra[1:-1]) == {2}
    inputs = list(heads_of(found, 1))
    output = reference.merge_heads(run(face, "block_sparse_attention", inputs, layout, block_size))
    np.testing.assert_allclose(output, found["output"], rtol=1e-6, atol=1e-7)


@FACE
@pytest.mark.parametrize("library", ["local", "flash"])
@pytest.mark.parametrize("causal", [False, True])
def test_some_libraries_count_the_distance(face, library, causal):
    """local-attention's exact window of w is our w + 1, and not our w; so is flash-attn's window_size = (w, 0)."""
    found, w = golden(f"{library} causal" if causal else library), int(GOLDENS["window"])
    output = run(face, "sliding_window_attention", found["heads"], w + 1, causal=causal)
    np.testing.assert_allclose(output, found["output"], rtol=1e-6, atol=1e-7)
    other = run(face, "sliding_window_attention", found["heads"], w, causal=causal)
    assert np.abs(other - found["output"]).max() > 1e-2


def test_hugging_face_counts_keys():
    """Its ``sliding_window`` of w is ours: w keys, the query's own among them."""
    mask, w = GOLDENS["sliding"], int(GOLDENS["window"])
    np.testing.assert_array_equal(mask, masks.sliding_window_mask(*mask.shape, w, causal=True))


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
