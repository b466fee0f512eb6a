"""Linformer attention: its two ends, what it refuses; the library's numbers: tests/oracles."""

import numpy as np
import pytest
from linearized_cases import B, H, K, S, V, call, draw, padding, refused
from support import FACE, FACES, close, numbers, tensor

from attn_course import pytorch, reference
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, set_parameters

NAME, R = "linformer_attention", 3
RNG = np.random.default_rng(9)
SHARED, OTHER = RNG.normal(size=(2, R, S)) / S**0.5
PER_HEAD = RNG.normal(size=(H, R, S)) / S**0.5


@FACES
def test_as_many_mixtures_as_keys_are_attention(face):
    exact = reference.scaled_dot_product_attention(*draw())[0]
    close(call(face, NAME, *draw(), key_projection=np.eye(S)), exact)
    order = np.eye(S)[np.random.default_rng(0).permutation(S)]
    close(call(face, NAME, *draw(), key_projection=order), exact)


@FACES
def test_one_projection_for_all_heads_beside_one_for_each(face):
    found, expected = (
        call(face, NAME, *draw(), padding(), key_projection=PER_HEAD, value_projection=values)
        for values in (SHARED, np.stack([SHARED] * H))
    )
    close(found, expected)


@FACES
def test_errors(face):
    arrays = draw()
    refused(face, NAME, arrays, "key_projection must have shape .* S = 11", key_projection=SHARED[:, 1:])
    refused(face, NAME, arrays, "key_projection must have shape .* H = 3", key_projection=PER_HEAD[1:])
    other = {"key_projection": SHARED, "value_projection": OTHER[1:]}
    refused(face, NAME, arrays, "value_projection must have shape .* R = 3", **other)
    refused(face, NAME, (*arrays, np.ones((S, S), bool)), "mask must hide a key", key_projection=SHARED)


# --- the layer ------------------------------------------------------------------------

SIZES = {"model_dim": 13, "num_heads": H, "key_dim": K, "value_dim": V, "length": S, "rank": R}


@FACE
def test_what_the_layer_can_not_do(face):
    with pytest.raises(ValueError, match="sharing must be one of none, heads, key_value"):
        face.LinformerAttention(**SIZES, sharing="all")
    with pytest.raises(ValueError, match="rank must be at least 1, got 0"):
        face.LinformerAttention(**SIZES | {"rank": 0})
    layer, x = face.LinformerAttention(**SIZES), tensor(face, RNG.normal(size=(B, 7, 13)).astype(np.float32))
    with pytest.raises(ValueError, match="causal must be False for LinformerAttention: every projected key"):
        layer(x, causal=True)
    with pytest.raises(ValueError, match="bias is not supported by LinformerAttention"):
        layer(x, bias=tensor(face, np.zeros((7, 7), np.float32)))
    with pytest.raises(ValueError, match="key must have at most length = 11 keys, got 14"):
        layer(tensor(face, RNG.normal(size=(B, 14, 13)).astype(np.float32)))
    assert layer(x)[1].shape == (B, H, 7, R) and layer(x, need_weights=False)[1] is None


@FACE
@pytest.mark.parametrize("sharing", ["none", "heads", "key_value"])
def test_projections_begin_at_one_over_the_rank(face, sharing):
    """With a variance of 1 / rank the R mixed products of a query add up to what those of all keys did, on average."""
    rank = 31
    layer = face.LinformerAttention(6, 2, length=211, rank=rank, sharing=sharing)
    for name, x in get_parameters(layer).items():
        if name.endswith("projection"):
            assert np.std(x) * rank**0.5 == pytest.approx(1, abs=0.06) and abs(x.mean()) < 0.02
    if face is pytorch:
        with torch.no_grad():
            layer.key_projection.fill_(0.0)
        layer.reset_parameters()
        assert np.std(numbers(layer.key_projection)) * rank**0.5 == pytest.approx(1, abs=0.06)


@FACE
@pytest.mark.parametrize("part", ["SinkSoftmax", "CappedSoftmax"])
def test_another_softmax_over_the_mixtures(face, part):
    """As many mixtures as keys, each one key: the layer is multi-head attention with that softmax."""
    place = {"dtype": torch.float64 if face is pytorch else "float64"}
    made = face.SinkSoftmax(2, **place) if part == "SinkSoftmax" else face.CappedSoftmax(0.4)
    sizes = {"num_kv_heads": 1, "scale": 0.3, "softmax": made, **place}
    layer = face.LinformerAttention(6, 2, length=S, rank=S, sharing="key_value", **sizes)
    dense = face.MultiHeadAttention(6, 2, **sizes)
    drawn = {n: RNG.normal(size=x.shape) for n, x in get_parameters(layer).items()} | {"key_projection": np.eye(S)}
    set_parameters(layer, drawn)
    set_parameters(dense, {n: x for n, x in drawn.items() if n != "key_projection"})
    x = tensor(face, RNG.normal(size=(B, S, 6)))
    for found, expected in zip(layer(x), dense(x), strict=True):
        close(found, numbers(expected))


def test_a_second_derivative():
    """By the way without the fused kernel, ``need_weights=True``."""
    leaves = [torch.tensor(x, requires_grad=True) for x in draw(3)]
    projection = torch.tensor(SHARED)

    def run(*heads):
        return pytorch.linformer_attention(*heads, key_projection=projection)[0]

    assert torch.autograd.gradgradcheck(run, leaves)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # PyTorch itself, at its first jvp
def test_forward_mode_with_and_without_weights():
    arrays = [torch.tensor(x) for x in draw(3)]
    projection = torch.tensor(SHARED)

    def run(query, need_weights):
        return pytorch.linformer_attention(query, *arrays[1:], key_projection=projection, need_weights=need_weights)[0]

    along = torch.ones_like(arrays[0])
    slopes = [torch.func.jvp(lambda x, n=n: run(x, n), (arrays[0],), (along,))[1] for n in (True, False)]
    torch.testing.assert_close(*slopes)
    central = (run(arrays[0] + 1e-6 * along, False) - run(arrays[0] - 1e-6 * along, False)) / 2e-6
    torch.testing.assert_close(slopes[0], central, rtol=1e-6, atol=1e-7)
