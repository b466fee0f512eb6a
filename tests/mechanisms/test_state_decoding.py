"""Decoding with a state: one step after the other is the causal call, and nothing grows."""

import numpy as np
import pytest
import torch
from support import FACE, build, close, draw, drawn, in_chunks, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import tf as tensorflow

B, T, D, H, G, K, V = 2, 11, 12, 6, 3, 10, 7
LAYERS = [
    ("LinearAttention", {}),
    ("LinearAttention", {"decay": "fixed", "feature_map": "relu", "epsilon": 1e-3}),
    ("LinearAttention", {"decay": "learned", "normalize": False}),
    ("DeltaRuleAttention", {}),
    ("DeltaRuleAttention", {"decay": "fixed"}),
    ("DeltaRuleAttention", {"decay": "learned"}),
    ("DeltaRuleAttention", {"decay": "columns"}),
]
EACH = pytest.mark.parametrize(("name", "sizes"), LAYERS, ids=lambda x: x if isinstance(x, str) else str(len(x)))


def made(face, name, **sizes):
    """With groups, a norm, a gate and rotation, which has to know how many came before."""
    place = {"dtype": torch.float64 if face is pytorch else "float64"}
    parts = {
        "rotary": face.RotaryEncoding(K, **({} if face is pytorch else place)),
        "query_key_norm": face.QueryKeyNorm(K, **place),
        "output_gate": face.OutputGate(D, H, **place),
    }
    return drawn(build(face, name, D, H, num_kv_heads=G, key_dim=K, value_dim=V, **sizes, **parts))


@FACE
@EACH
def test_steps_are_the_causal_call(face, name, sizes):
    layer, x = made(face, name, **sizes), draw(B, T, D, seed=9)
    whole = numbers(layer(tensor(face, x), causal=True)[0])
    state = layer.new_state(B)
    shapes = [x.shape for x in leaves(state.memory)]
    for t in range(T):
        output, state = layer.step(tensor(face, x[:, t : t + 1]), state)
        close(output, whole[:, t : t + 1], 1e-8)
    assert [x.shape for x in leaves(state.memory)] == shapes and int(state.length) == T
    state = layer.new_state(B)  # each begins anew
    close(layer.step(tensor(face, x[:, :1]), state)[0], whole[:, :1], 1e-8)


def leaves(memory):
    return memory if isinstance(memory, tuple) else (memory,)


def test_a_step_in_a_graph_of_tensorflow_takes_the_state_as_it_is():
    layer, x = made(tf, "DeltaRuleAttention", decay="learned"), draw(B, T, D, seed=9)
    step = tensorflow.function(layer.step, jit_compile=True)
    state = layer.new_state(B)
    for t in range(3):
        output, state = step(tensor(tf, x[:, t : t + 1]), state)
    close(output, numbers(layer(tensor(tf, x), causal=True)[0])[:, 2:3], 1e-8)
    assert step.experimental_get_tracing_count() == 1


@FACE
@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_wrong_steps_are_named(face, name):
    layer = made(face, name)
    state = layer.new_state(B)
    with pytest.raises(ValueError, match="query must have shape"):
        layer.step(tensor(face, draw(B, 2, D)), state)
    with pytest.raises(ValueError, match="query must have shape"):
        layer.step(tensor(face, draw(B, 1, D + 1)), state)
    with pytest.raises(ValueError, match="batch"):
        layer.new_state(0)
    with pytest.raises(ValueError, match="cache can't go back in a state: keep the state of before"):
        layer.new_cache(B, 5).truncate(0)


@FACE
def test_the_state_of_half_precision_is_wide(face):
    layer = build(face, "LinearAttention", D, H, dtype="bfloat16")
    state = layer.new_state(B)
    assert "float32" in str(state.memory[0].dtype)
    x = tensor(face, np.ones((B, 1, D)), "bfloat16")
    output, state = layer.step(x, state)
    assert "bfloat16" in str(output.dtype) and "float32" in str(state.memory[0].dtype)


@FACE
@EACH
def test_a_cache_of_the_state_reads_on(face, name, sizes):
    """Some positions, one, and the rest, behind padding on the left: as at once, in as many bytes at the end."""
    layer, x = made(face, name, **sizes), draw(B, T, D, seed=9)
    mask = np.arange(T) >= np.array([[0], [4]])
    padding = tensor(face, mask[:, None, None])
    whole = numbers(layer(tensor(face, x), mask=padding, causal=True)[0])
    assert np.abs(whole - numbers(layer(tensor(face, x), causal=True)[0]))[1, 4:].max() > 1e-3
    cache = layer.new_cache(B, T)
    bytes_ = cache.nbytes
    assert bytes_ == sum(8 * np.prod(part.shape) for part in leaves(layer.new_state(B).memory))
    for _ in range(2):
        found = in_chunks(face, layer, x, (5, 1, T - 6), mask[:, None, None], causal=True, cache=cache)
        close(found[mask], whole[mask], 1e-8)
        assert int(cache.length) == T and cache.nbytes == bytes_
        cache.reset()


@FACE
def test_rows_of_a_state_are_taken(face):
    layer, x = made(face, "LinearAttention"), draw(B, T, D, seed=9)
    cache, other = layer.new_cache(B, T), layer.new_cache(B, T)
    for one, rows in ((cache, x), (other, x[::-1].copy())):
        layer(tensor(face, rows[:, :4]), causal=True, cache=one)
    cache.take(tensor(face, np.array([1, 0])))
    new = tensor(face, x[:, 4:5])
    close(layer(new, causal=True, cache=cache)[0], layer(new, causal=True, cache=other)[0])


@FACE
@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_wrong_calls_with_a_state_are_named(face, name):
    layer = made(face, name)
    cache, x = layer.new_cache(B, T), tensor(face, draw(B, 3, D))
    for wanted, given in (
        ("causal must be True with a state", {}),
        (f"head_mask is not supported by {name} with a state", {"causal": True, "head_mask": tensor(face, np.ones(H))}),
        ("key and value must be the query's input", {"causal": True, "key": tensor(face, draw(B, 3, D, seed=1))}),
        ("mask must have shape", {"causal": True, "mask": tensor(face, np.ones((B, 1, 1, 4), bool))}),
    ):
        with pytest.raises(ValueError, match=wanted):
            layer(x, cache=cache, **given)
    with pytest.raises(ValueError, match=f"window is not supported by {name}"):
        layer.new_cache(B, T, window=3)


def test_a_state_in_a_graph_of_tensorflow_is_named():
    layer = made(tf, "LinearAttention")
    read = tensorflow.function(lambda x, cache: layer(x, causal=True, cache=cache)[0], autograph=False)
    with pytest.raises(ValueError, match="cache must be used outside of a graph: there, use step"):
        read(tensor(tf, draw(B, 3, D)), layer.new_cache(B, T))
