"""What a constructor takes is seen by help, and a wrong keyword is blamed on the class that was called."""

import inspect

import numpy as np
import pytest
from support import FACE, draw, tensor

from attn_course import pytorch, tf
from attn_course.catalog import DECLARED
from attn_course.core.declaration import HEAD_SIZES
from attn_course.frameworks import torch

CLASSES = sorted({name for name in pytorch.__all__ if isinstance(getattr(pytorch, name), type)})
LAYERS = {declared.layer: declared for topic in DECLARED.values() for declared in topic if declared.layer}
# What is built from other layers, or holds arrays.
BUILT = {"EncoderDecoder", "LuongDecoder"}
NUMBERLESS = {"CappedSoftmax", "LogLengthScale", "RotaryEncoding", "SinusoidalEncoding"}  # they learn nothing
SIZED = sorted(LAYERS.keys() - BUILT)
# What layers over heads are built from besides sizes, and what an attention that has no place for it is to refuse.
PARTS = ("num_kv_heads", "scale", "value_norm", "rotary", "query_key_norm", "softmax", "output_gate")
ATTENTIONS = sorted(name for name in SIZED if "Attention" in name or name.endswith("Decoder") or name == "Encoder")


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
@pytest.mark.parametrize("name", CLASSES)
def test_a_signature_hides_nothing(face, name):
    """No ``**options``: what they are stands there, and nothing that is between a class and its base."""
    parameters = inspect.signature(getattr(face, name)).parameters
    assert {x.kind for x in parameters.values()}.isdisjoint({inspect.Parameter.VAR_KEYWORD})
    assert parameters.keys().isdisjoint({"own", "config", "additive", "cell", "fed", "start_dim", "kwargs"})
    if name in LAYERS and name not in BUILT:
        place = {"name", "dtype"} if face is tf else {"device", "dtype"} if name not in NUMBERLESS else set()
        assert {*LAYERS[name].sizes} | place <= parameters.keys()


@FACE
@pytest.mark.parametrize("name", SIZED)
def test_an_unknown_keyword_is_blamed_on_the_class(face, name):
    with pytest.raises((TypeError, ValueError), match=rf"{name}\b.*widow"):
        getattr(face, name)(**LAYERS[name].sizes, widow=3)


@FACE
@pytest.mark.parametrize("sizes", [{}, {"score": "general"}, {"score": "concat", "hidden_dim": 3}])
def test_luongs_attention_swallows_no_keyword(face, sizes):
    """With the score "dot" it has no map that could complain."""
    with pytest.raises((TypeError, ValueError), match=r"LuongAttention\b.*scroe"):
        face.LuongAttention(4, 4, **sizes, scroe="general")


def given(face, name, part):
    """A part that fits the layer."""
    sizes = HEAD_SIZES | dict(LAYERS[name].sizes)
    H, K = sizes["num_heads"], sizes["key_dim"] or sizes["model_dim"] // sizes["num_heads"]
    made = {
        "num_kv_heads": lambda: 1,
        "scale": lambda: 0.7,
        "value_norm": lambda: 0.7,
        "rotary": lambda: face.LogLengthScale(trained_length=3),  # for keys of any width
        "query_key_norm": lambda: face.QueryKeyNorm(K // 2 if name.startswith("Differential") else K),
        "softmax": lambda: face.CappedSoftmax(2.0),
        "output_gate": lambda: face.OutputGate(sizes["model_dim"], H, sizes.get("value_dim") or K),
    }
    return made[part]()


@FACE
@pytest.mark.parametrize("name", ATTENTIONS)
@pytest.mark.parametrize("part", PARTS)
def test_every_attention_takes_a_part_or_refuses_it_by_name(face, name, part):
    """What is taken is there afterwards; nothing is swallowed."""
    kind, option = getattr(face, name), given(face, name, part)
    try:
        layer = kind(**{**LAYERS[name].sizes, part: option})
    except ValueError as error:
        assert f"{part} is not supported by {name}" in str(error)
        return
    found = getattr(layer, part, None) if part in ("rotary", "softmax", "output_gate", "query_key_norm") else None
    found = getattr(layer.sizes, part) if found is None else found
    assert found is option or found == option


@FACE
def test_latent_attention_has_one_projection_for_key_and_value(face):
    """Nothing to group, no second input, no bias: each is refused, none is without effect."""
    sizes = LAYERS["LatentAttention"].sizes
    for wrong in ({"num_kv_heads": 2}, {"memory_dim": 5}, {"use_bias": True}):
        name = next(iter(wrong))
        with pytest.raises(ValueError, match=f"{name} is not supported by LatentAttention, got one"):
            face.LatentAttention(**sizes, **wrong)
        assert name not in inspect.signature(face.LatentAttention).parameters


@FACE
def test_names_of_others_are_told_ours(face):
    """Of constructors, calls and writing, each if ours has it in that place; as others' fault it stays Python's."""
    x, tokens = tensor(face, draw(2, 5, 8).astype("float32")), tensor(face, np.ones((2, 5), "int64"))
    layer, model = face.MultiHeadAttention(8, 2), face.LanguageModel(7, 1, 8, 2, 16)
    whole = face.Transformer(7, 1, 8, 2, 16)
    for call, words in (
        (lambda: layer(x, attention_mask=None), "MultiHeadAttention takes mask, True = may attend"),
        (lambda: layer(x, use_causal_mask=True), "MultiHeadAttention takes causal, got it as use_causal_mask"),
        (lambda: face.Encoder(1, 8, 2, 16)(x, is_causal=True), "Encoder takes causal, got it as is_causal"),
        (lambda: whole(tokens, tokens, src_key_padding_mask=None), "Transformer takes source_mask, True = may"),
        (lambda: face.generate(model, tokens, max_new_tokens=3), "generate takes max_tokens, got it as max_new_tokens"),
        (
            lambda: face.greedy_decode(whole, tokens, max_new_tokens=3),
            "greedy_decode takes max_length, got it as max_new",
        ),
        (lambda: face.beam_search(whole, tokens, attention_mask=None), "beam_search takes source_mask, True = may att"),
        (lambda: face.MultiHeadAttention(embed_dim=8, num_heads=2), "MultiHeadAttention takes model_dim"),
        (lambda: face.Encoder(1, 8, 2, 16, norm_first=True), "Encoder takes norm='pre', got it as norm_first"),
        (lambda: face.beam_search(whole, tokens, num_beams=3), "beam_search takes beam_size, got it as num_beams"),
        (lambda: face.generate(model, tokens, max_length=3), "generate takes max_tokens, got it as max_length"),
        (lambda: layer(x, position_bias=x), "MultiHeadAttention takes bias, got it as position_bias"),
        (lambda: face.MultiHeadAttention(8, 2, head_dim=4), "MultiHeadAttention takes key_dim, got it as head_dim"),
        (lambda: layer(x, eos_token_id=3), "unexpected keyword argument 'eos_token_id'"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_a_call_by_our_names_is_compiled_whole():
    layer, x = pytorch.Encoder(1, 8, 2, 16), torch.randn(2, 5, 8)
    found = torch.compile(layer, fullgraph=True, backend="eager")(x, causal=True, need_weights=False)
    torch.testing.assert_close(found[0], layer(x, causal=True)[0])


@FACE
def test_parts_of_another_width_are_refused_as_they_are_given(face):
    """Rotation and norm get a head's columns; half of them in differential attention, rope_dim in latents."""
    make = {
        "MultiHeadAttention": lambda **part: face.MultiHeadAttention(24, 3, **part),
        "GroupedQueryAttention": lambda **part: face.GroupedQueryAttention(24, 3, num_kv_heads=1, **part),
        "DifferentialAttention": lambda **part: face.DifferentialAttention(24, 3, key_dim=16, **part),
    }
    for name, layer in make.items():
        for part, kind in (("rotary", face.RotaryEncoding), ("query_key_norm", face.QueryKeyNorm)):
            assert getattr(layer(**{part: kind(8)}), part) is not None, name
            with pytest.raises(ValueError, match=f"{part} must have key_dim = 8, the columns of a head.* got 16"):
                layer(**{part: kind(16)})
    sizes = {"latent_dim": 5, "rope_dim": 4, "key_dim": 8, "value_dim": 8}
    face.LatentAttention(24, 3, **sizes, rotary=face.RotaryEncoding(4))
    with pytest.raises(ValueError, match="rotary must have key_dim = 4"):
        face.LatentAttention(24, 3, **sizes, rotary=face.RotaryEncoding(8))
