"""Options and parts that every layer over heads takes, or refuses by name."""

import re

import numpy as np
import pytest
import torch
from support import FACE, FACES, close, draw, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, G, K = 2, 7, 12, 6, 3, 5
SCORED = [
    ("MultiHeadAttention", {}),
    ("GroupedQueryAttention", {"num_kv_heads": G}),
    ("RelativeAttention", {"max_distance": 2}),
]
EACH = pytest.mark.parametrize(("name", "sizes"), SCORED, ids=[name for name, _ in SCORED])


def made(face, name, **options):
    dtype = torch.float64 if face is pytorch else "float64"
    return getattr(face, name)(D, H, key_dim=K, dtype=dtype, **options)


@FACE
@pytest.mark.parametrize(
    ("name", "sizes"),
    [*SCORED, ("FlashAttention", {"block_size": 2}), ("LSHAttention", {"num_buckets": 4, "num_rounds": 2})],
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_scale_takes_the_place_of_the_root(face, name, sizes, need_weights):
    """A query that is larger by ``scale * sqrt(K)`` gives the same scores under the usual scale."""
    layer, usual = made(face, name, scale=0.7, **sizes), made(face, name, **sizes)
    parameters = {key: draw(*x.shape, seed=i) for i, (key, x) in enumerate(get_parameters(layer).items())}
    set_parameters(layer, parameters)
    larger = {key: x * 0.7 * K**0.5 for key, x in parameters.items() if key.startswith("query_")}
    set_parameters(usual, parameters | larger)
    x = tensor(face, draw(B, T, D))
    found, expected = (one(x, causal=True, need_weights=need_weights)[0] for one in (layer, usual))
    close(found, numbers(expected))
    set_parameters(usual, parameters)
    assert np.abs(numbers(found) - numbers(usual(x, causal=True)[0])).max() > 0.01


@FACE
@EACH
def test_a_scale_is_kept_and_checked(face, name, sizes):
    layer = made(face, name, scale=0.7, **sizes)
    assert layer.sizes.scale == layer.config["scale"] == 0.7
    assert "scale=0.7" in repr(layer)
    assert "scale" not in made(face, name, **sizes).config
    for wrong in (0.0, -1.0, float("nan"), True, "1"):
        with pytest.raises(ValueError, match="scale must be a positive, finite number"):
            made(face, name, scale=wrong, **sizes)


@FACE
@pytest.mark.parametrize("name", ["LinearAttention", "MultiHeadAttention", "RelativeAttention"])
def test_groups_of_heads_equal_repeated_ones(face, name):
    sizes = {"max_distance": 2} if name == "RelativeAttention" else {}
    layer, whole = made(face, name, num_kv_heads=G, **sizes), made(face, name, **sizes)
    parameters = {key: draw(*x.shape, seed=i) for i, (key, x) in enumerate(get_parameters(layer).items())}
    set_parameters(layer, parameters)
    for key in ("key_weight", "value_weight", "key_bias", "value_bias"):
        if key in parameters:
            x = parameters[key].reshape(*parameters[key].shape[:-1], G, K)
            parameters[key] = np.repeat(x, H // G, axis=-2).reshape(*x.shape[:-2], H * K)
    set_parameters(whole, parameters)
    x = tensor(face, draw(B, T, D))
    close(layer(x)[0], numbers(whole(x)[0]))


@FACE
def test_pruned_and_grouped_layers_keep_scale_and_norm(face):
    dtype = torch.float64 if face is pytorch else "float64"
    norm = face.QueryKeyNorm(K, dtype=dtype)
    layer = made(face, "MultiHeadAttention", scale=0.7, query_key_norm=norm)
    x = tensor(face, draw(B, T, D))
    heads = tensor(face, np.array([1.0, 0, 1, 0, 1, 1]))
    pruned = layer.prune_heads([1, 3])
    close(pruned(x)[0], numbers(layer(x, head_mask=heads)[0]))
    assert pruned.query_key_norm is not norm  # a copy: training one leaves the other
    grouped = face.to_grouped(layer, H)
    close(grouped(x)[0], numbers(layer(x)[0]))
    assert grouped.query_key_norm is not norm


@FACE
def test_heads_of_a_part_are_not_pruned(face):
    layers = {
        "softmax": made(face, "MultiHeadAttention", softmax=face.SinkSoftmax(H)),
        "output_gate": made(face, "MultiHeadAttention", output_gate=face.OutputGate(D, H)),
        "num_kv_heads": made(face, "MultiHeadAttention", num_kv_heads=G),
    }
    for part, layer in layers.items():
        with pytest.raises(ValueError, match=f"{part} is not supported by prune_heads"):
            layer.prune_heads([0])
    window = made(face, "SlidingWindowAttention", window=3)
    with pytest.raises(ValueError, match="layer must be MultiHeadAttention or GroupedQueryAttention, got Sliding"):
        face.to_grouped(window, G)


def test_a_configuration_of_keras_has_the_scale():
    layer = made(tf, "MultiHeadAttention", scale=0.7)
    assert type(layer).from_config(layer.get_config()).sizes == layer.sizes


@FACES
@pytest.mark.parametrize(
    ("name", "gate"),
    [("linear_attention", "decay"), ("random_feature_attention", "gate"), ("linear_attention_step", "decay")],
)
@pytest.mark.parametrize("wrong", [-0.01, 1.01, np.nan])
def test_a_gate_outside_is_refused_by_name(face, name, gate, wrong):
    state = (None,) if name.endswith("step") else ()
    S = 1 if state else T
    inputs = [tensor(face, draw(B, H, S, K, seed=n)) for n in range(3)]
    share = np.full((B, H, S), 0.5)
    options = {} if state else {"causal": True}
    getattr(face, name)(*state, *inputs, **{gate: tensor(face, share)}, **options)
    share[1, 2, -1] = wrong
    with pytest.raises(ValueError, match=f"{gate} must have numbers from 0 to 1"):
        getattr(face, name)(*state, *inputs, **{gate: tensor(face, share)}, **options)


LIKE = {
    "FlashAttention": {"block_size": 2},
    "LSHAttention": {"num_buckets": 4, "num_rounds": 2},
    "PerformerAttention": {"num_features": 16},
    "RandomFeatureAttention": {"num_features": 16},
}


@FACE
@pytest.mark.parametrize("name", LIKE)
def test_parts_stand_around_any_mechanism(face, name):
    """Norm and rotation of what the projections give, and a gate of the context, each written out here."""
    dtype = {"dtype": torch.float64 if face is pytorch else "float64"}
    rotary = dtype if face is tf else {}
    shared = name == "LSHAttention"  # one projection for query and key: no norm of its own for each
    parts = {"rotary": face.RotaryEncoding(4, **rotary), "output_gate": face.OutputGate(D, H, 4, **dtype)}
    parts |= {} if shared else {"query_key_norm": face.QueryKeyNorm(4, **dtype)}
    layer = getattr(face, name)(D, H, key_dim=4, **LIKE[name], **parts, **dtype)
    parameters = {key: draw(*x.shape, seed=i) for i, (key, x) in enumerate(get_parameters(layer).items())}
    set_parameters(layer, parameters)
    x = tensor(face, draw(B, T, D))
    query, key, value = layer.project(x, x, x)
    if not shared:
        query, key = parts["query_key_norm"](query, key)
    query, key = parts["rotary"](query, key)
    call = {"bias": None, "causal": False, "need_weights": False, "dropout": None}
    if shared:
        del call["causal"]
    context = numbers(layer.attend(query, key, value, None, **call)[0])
    own = {key.removeprefix("output_gate."): x for key, x in parameters.items() if key.startswith("output_gate.")}
    merged = reference.merge_heads(reference.output_gate(context, numbers(x), own))
    expected = merged @ parameters["output_weight"] + parameters["output_bias"]
    close(layer(x)[0], expected, 1e-9)
    for part in parts:
        kept = getattr(layer, part)
        setattr(layer, part, None)
        assert np.abs(numbers(layer(x)[0]) - expected).max() > 1e-3, part
        setattr(layer, part, kept)


VALUE = re.compile("value_(global_)?(weight|bias)")
VALUED = LIKE | {
    **dict(SCORED),
    "DeltaRuleAttention": {},
    "LinearAttention": {},
    "LinformerAttention": {"length": T, "rank": 3},
    "LongformerAttention": {"window": 2, "positions": [0, 5], "global_projections": True},
    "SlidingWindowAttention": {"window": 3, "num_kv_heads": G},
}


@FACE
@pytest.mark.parametrize("name", VALUED)
def test_a_norm_of_values_stands_behind_their_map(face, name):
    """Values a hundred times as long are the same ones, and without the norm others; nothing more is learned."""
    sizes = {"key_dim": 4} | VALUED[name] | {"dtype": torch.float64 if face is pytorch else "float64"}
    layer, plain = (getattr(face, name)(D, H, **sizes, **norm) for norm in ({"value_norm": 1e-12}, {}))
    parameters = get_parameters(layer)
    assert parameters.keys() == get_parameters(plain).keys()
    x, found = tensor(face, draw(B, T, D)), {}
    for one in (layer, plain):
        set_parameters(one, parameters)
        once = numbers(one(x, need_weights=False)[0])
        set_parameters(one, {key: x * 100 if VALUE.fullmatch(key) else x for key, x in parameters.items()})
        found[one] = np.abs(numbers(one(x, need_weights=False)[0]) - once).max()
    assert found[layer] < 1e-6 < 1e-3 < found[plain]
