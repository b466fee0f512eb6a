"""How far a query travels: the functions of ours between a call and the formula."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from support import FACE, build, draw, to

import attn_course
from attn_course import pytorch

PACKAGE = str(Path(attn_course.__file__).parent)
CHECKS = tuple(str(Path(PACKAGE, "core", name)) for name in ("shapes.py", "layer/shared.py"))
LATENT = {"latent_dim": 6, "rope_dim": 2, "key_dim": 4, "value_dim": 4}
MOST = {  # calls of the package's functions, and of them checks
    "SlidingWindowAttention": ({"window": 2}, {"causal": True}, 55, 12),
    "LatentAttention": (LATENT, {}, 60, 20),
    "LatentAttention, absorbed": (LATENT, {"absorbed": True}, 75, 25),
}


def called(function, *inputs, **options):
    """The names of the package's functions that a call passes, and of those among them that check."""
    names, checks = [], []

    def note(frame, event, _):
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE) or code.co_name.startswith("<"):
            return
        names.append(code.co_name)
        if code.co_name.startswith("check") or code.co_filename in CHECKS:
            checks.append(code.co_name)

    function(*inputs, **options)  # the first call may import
    sys.setprofile(note)
    try:
        function(*inputs, **options)
    finally:
        sys.setprofile(None)
    return names, checks


def padding(length, short):
    mask = np.ones((2, 1, 1, length), dtype=bool)
    mask[1, ..., short:] = False
    return mask


@pytest.mark.parametrize("call", MOST)
@FACE
def test_an_eager_call_of_a_layer_is_short_and_checks_once(face, call):
    sizes, options, most, most_checks = MOST[call]
    layer = build(face, call.split(",")[0], 8, 2, **sizes)
    x, mask = to(face, draw(2, 5, 8), padding(5, 3))
    names, checks = called(layer, x, mask=mask, **options)
    assert 20 < len(names) <= most
    assert 5 < len(checks) <= most_checks


@FACE
def test_an_eager_call_of_a_transformer_is_short_and_checks_once(face):
    model = build(face, "Transformer", 7, 1, 8, 2, 16)
    source, target, mask = to(face, np.ones((2, 5), dtype=int), np.ones((2, 4), dtype=int), padding(5, 3))
    names, checks = called(model, source, target, source_mask=mask)
    assert 60 < len(names) <= 160
    assert 20 < len(checks) <= 60
    assert checks.count("check_tokens") == 1


@pytest.mark.parametrize("need_weights", [True, False])
@FACE
def test_a_query_meets_three_functions_on_its_way_to_the_formula(face, need_weights, monkeypatch):
    fused = face is pytorch and not need_weights  # TensorFlow has no kernel for a CPU
    formula = "fused_attention" if fused else "attention"
    layer = build(face, "MultiHeadAttention", 8, 2)
    module = sys.modules[inspect.unwrap(layer.attend).__module__]
    own, stays = getattr(module, formula), []

    def noted(*inputs, **options):
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_globals.get("__name__", "").startswith("attn_course"):
                stays.append(frame.f_code.co_name)
            frame = frame.f_back
        return own(*inputs, **options)

    monkeypatch.setattr(module, formula, noted)
    (x,) = to(face, draw(1, 3, 8))
    layer(x, need_weights=need_weights)
    entry = "forward" if face is pytorch else "call"
    # Keras' __call__ comes before call: it joins the carried masks, and hands all on.
    assert [name for name in stays if name != "__call__"] == ["dot_product", "walk", entry]
