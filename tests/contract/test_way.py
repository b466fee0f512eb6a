"""How far a query travels: the functions of ours between a call and the formula."""

import inspect
import sys

import pytest
from support import FACE, build, draw, to

from attn_course import pytorch


@pytest.mark.parametrize("need_weights", [True, False])
@FACE
def test_a_query_meets_two_functions_on_its_way_to_the_formula(face, need_weights, monkeypatch):
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
    assert [name for name in stays if name != "__call__"] == ["dot_product", entry]
