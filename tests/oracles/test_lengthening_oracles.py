"""What Hugging Face says about rotations longer than training, stored by ``make_lengthening_goldens.py``."""

import json
from pathlib import Path

import numpy as np
import pytest
from support import FACES, build, caught, numbers, tensor

from attn_course import pytorch, reference, tf

GOLDENS = json.loads(Path(__file__).with_name("lengthening.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-6, "atol": 0}  # theirs are powers in float32


def asked(golden):
    return " ".join(str(x) for x in golden["asked"].values())


@FACES
@pytest.mark.parametrize("golden", GOLDENS["frequencies"]["found"], ids=asked)
def test_frequencies_of_transformers(face, golden):
    found, scale = face.rotary_frequencies(**golden["asked"])
    np.testing.assert_allclose(numbers(found), golden["frequencies"], **CLOSE)
    assert scale == pytest.approx(golden["scale"], rel=1e-12)


def test_the_example_of_the_text():
    """64 columns, 2048 positions, four times longer: pairs 0 to 8 as they were, 21 to 31 at a quarter."""
    golden = next(x for x in GOLDENS["frequencies"]["found"] if x["asked"]["method"] == "yarn")
    plain, _ = reference.rotary_frequencies(64)
    share = np.array(golden["frequencies"]) / plain
    np.testing.assert_allclose(share[:9], 1, rtol=1e-6)
    np.testing.assert_allclose(share[21:], 0.25, rtol=1e-6)
    assert (share[9] < 1 - 1e-3) and (share[20] > 0.25 + 1e-3) and golden["scale"] == pytest.approx(1.1386, abs=5e-5)


@FACES
def test_partial_and_proportional_rotation_are_not_the_same(face):
    """A quarter of the columns with a ladder of their own; or the first quarter of the whole ladder."""
    partial, _ = face.rotary_frequencies(16)
    np.testing.assert_allclose(numbers(partial), GOLDENS["ladders"]["partial"], **CLOSE)
    whole = numbers(face.rotary_frequencies(64)[0])
    whole[8:] = 0
    np.testing.assert_allclose(whole, GOLDENS["ladders"]["proportional"], **CLOSE)


@FACES
def test_llama_turned_by_yarn(face):
    """Far along, with the scale on query and key."""
    golden = GOLDENS["turned"]
    steps, scale = face.rotary_frequencies(16, method="yarn", factor=4.0, trained_length=23)
    query, key = (tensor(face, np.array(golden[name])) for name in ("query", "key"))
    if face is reference:
        found = [face.rotate(x, np.arange(90, 97), frequencies=steps, scale=scale) for x in (query, key)]
    else:
        layer = build(face, "RotaryEncoding", 16, frequencies=steps, scale=scale)
        found = layer(query, key, first_position=90)
    for one, theirs in zip(found, golden["turned"], strict=True):
        np.testing.assert_allclose(numbers(one), theirs, rtol=0, atol=3e-5)


@FACES
def test_the_queries_of_llama_4(face):
    golden = GOLDENS["log_scale"]
    sizes = {name: golden[name] for name in ("trained_length", "strength")}
    found = face.log_length_scale(tensor(face, np.arange(30)), **sizes)
    np.testing.assert_allclose(numbers(found), golden["scale"], rtol=1e-6)


# --- planted faults -------------------------------------------------------------------

YARN = next(x for x in GOLDENS["frequencies"]["found"] if x["asked"]["method"] == "yarn")
LLAMA = next(x for x in GOLDENS["frequencies"]["found"] if x["asked"]["method"] == "llama3")
LINEAR = next(x for x in GOLDENS["frequencies"]["found"] if x["asked"]["method"] == "linear")


@pytest.mark.parametrize("face", [pytorch, tf])
@pytest.mark.parametrize(("ramp", "golden"), [("pair_ramp", YARN), ("turn_ramp", LLAMA)])
def test_a_ramp_reversed_is_caught(monkeypatch, face, ramp, golden):
    from attn_course.mechanisms.parts.lengthening import pytorch as of_torch
    from attn_course.mechanisms.parts.lengthening import tf as of_tf

    module = of_torch if face is pytorch else of_tf
    right = getattr(module, ramp)
    monkeypatch.setattr(module, ramp, lambda *sizes: 1 - right(*sizes))
    caught(test_frequencies_of_transformers, face, golden)


def test_the_factor_on_the_fast_pairs_is_caught(monkeypatch):
    """The wrong end of the ladder: what turns often is slowed."""
    from attn_course.mechanisms.parts.lengthening import reference as module

    right = module.pair_ramp
    monkeypatch.setattr(module, "pair_ramp", lambda *sizes: right(*sizes)[::-1])
    caught(test_frequencies_of_transformers, reference, YARN)


def test_interpolating_the_base_is_caught(monkeypatch):
    """The base times the factor is not the position divided by it."""
    right = reference.rotary_frequencies

    def wrong(dim, *, base, factor, method, trained_length):
        return right(dim, base=base * factor)

    monkeypatch.setattr(reference, "rotary_frequencies", wrong)
    caught(test_frequencies_of_transformers, reference, LINEAR)
