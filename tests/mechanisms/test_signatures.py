"""What a constructor takes is seen by help, and a wrong keyword is blamed on the class that was called."""

import inspect

import pytest
from support import FACE

from attn_course import pytorch, tf


@FACE
def test_a_signature_has_the_options_that_are_handed_on(face):
    window = inspect.signature(face.SlidingWindowAttention).parameters
    assert list(window)[:3] == ["model_dim", "num_heads", "window"]
    assert window["window"].default is inspect.Parameter.empty and window["use_bias"].default is True
    for name in ("num_kv_heads", "rotary", "softmax", "output_gate", "query_key_norm", "scale", "dropout"):
        assert name in window, name
    assert "own" not in window and "options" not in window
    assert list(inspect.signature(face.RelativeAttention).parameters).count("use_bias") == 1
    assert inspect.signature(face.RelativeAttention).parameters["use_bias"].default is False
    last = {pytorch: {"device", "dtype"}, tf: {"name", "dtype", "seed"}}[face]
    assert last <= inspect.signature(face.GroupedQueryAttention).parameters.keys()


@FACE
@pytest.mark.parametrize(
    "name", ["MultiHeadAttention", "GroupedQueryAttention", "LinearAttention", "RelativeAttention"]
)
def test_an_unknown_keyword_is_blamed_on_the_class(face, name):
    needed = {"GroupedQueryAttention": {"num_kv_heads": 2}, "RelativeAttention": {"max_distance": 3}}.get(name, {})
    with pytest.raises((TypeError, ValueError), match=f"{name}.*widow"):
        getattr(face, name)(8, 2, widow=3, **needed)
    getattr(face, name)(8, 2, **needed)
