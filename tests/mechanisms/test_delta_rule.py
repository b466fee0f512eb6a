"""The delta rule: by hand, by its recurrence, step by step; in chunks: test_chunks.py."""

import numpy as np
import pytest
from linearized_cases import LENGTHS, B, H, K, S, V, call, draw as draw_three, padding, per_column, per_key, refused
from support import FACE, FACES, close, numbers, tensor

from attn_course import pytorch, reference
from attn_course.frameworks import torch
from attn_course.mechanisms.delta_rule import pytorch as delta

NAME = "delta_rule_attention"


def draw(T=S, seed=0):
    query, key, value = draw_three(T, seed)
    return [query, key / np.linalg.norm(key, axis=-1, keepdims=True), value, per_key(seed + 5)]


def by_loops(query, key, value, beta, mask=None, *, decay=None):
    """The recurrence with numbers for the entries of the state."""
    T = query.shape[-2]
    output = np.zeros((*query.shape[:-1], V))
    for b, h in np.ndindex(B, H):
        state = np.zeros((K, V))
        for s in range(S):
            if mask is None or mask[b, 0, 0, s]:
                if decay is not None:
                    state = state * decay[b, h, s].reshape(-1, 1)
                read = [sum(state[k, v] * key[b, h, s, k] for k in range(K)) for v in range(V)]
                for k, v in np.ndindex(K, V):
                    error = value[b, h, s, v] - read[v]
                    state[k, v] += key[b, h, s, k] * beta[b, h, s] * error
            t = s - (S - T)
            if t >= 0:
                output[b, h, t] = query[b, h, t] @ state
    return output


@FACES
def test_what_is_written_last_is_read(face):
    """k -> v1, then k -> v2: the correction leaves v2; a sum would leave both."""
    key = np.array([[[[0.6, 0.8], [0.6, 0.8]]]])
    value, beta = np.array([[[[3.0, 5.0], [-1.0, 7.0]]]]), np.ones((1, 1, 2))
    close(call(face, NAME, key, key, value, beta), value)
    added = call(face, "linear_attention", key, key, value, causal=True, feature_map="identity", normalize=False)
    close(added[0, 0, 1], value[0, 0].sum(0))
    half = np.full((1, 1, 2), 0.5)
    close(call(face, NAME, key, key, value, half)[0, 0], [[1.5, 2.5], [0.25, 4.75]])
    close(call(face, NAME, key, key, value, half, decay=half)[0, 0], [[1.5, 2.5], [-0.125, 4.125]])


@FACES
def test_each_column_of_a_key_forgets_at_its_own_rate(face):
    """Two keys, one a column; a third writes nothing, and lets one column fade to a half, the other to a quarter."""
    key, query = np.array([[[[1.0, 0], [0, 1], [1, 0]]]]), np.array([[[[1.0, 1.0]]]])
    value, beta = np.array([[[[4.0], [8.0], [9.0]]]]), np.array([[[1.0, 1.0, 0.0]]])
    decay = np.array([[[[1.0, 1.0], [1.0, 1.0], [0.5, 0.25]]]])
    close(call(face, NAME, query, key, value, beta, decay=decay), [[[[4 * 0.5 + 8 * 0.25]]]])


def test_the_reference_agrees_with_loops():
    for T in LENGTHS:
        for decay in (None, per_key(), per_column()):
            for mask in (None, padding()):
                found = call(reference, NAME, *draw(T), mask=mask, decay=decay)
                close(found, by_loops(*draw(T), mask, decay=decay))


@FACES
@pytest.mark.parametrize("decay", [per_key(), per_column()], ids=["key", "column"])
def test_steps_agree_with_the_whole(face, decay):
    arrays, state = draw(), None
    whole = call(reference, NAME, *arrays, decay=decay)
    for t in range(S):
        here = [tensor(face, x[:, :, t : t + 1].copy()) for x in (*arrays, decay)]
        output, state = face.delta_rule_step(state, *here[:4], decay=here[4])
        close(numbers(output), whole[:, :, t : t + 1])
    assert state.shape == (B, H, K, V)


@FACE
@pytest.mark.parametrize("chunk_size", [5, 64])
@pytest.mark.parametrize("kind", ["key", "column"])
@pytest.mark.parametrize("strength", [0.01, 1.0, 30.0, 3000.0])
def test_chunks_at_any_length_and_decay(face, chunk_size, kind, strength):
    """In float32, to 1e-5: a factor e^-c would overflow, a difference of long sums lose digits; the first keep most,
    now and then one everything."""
    for length in (1, 7, 63, 64, 65, 150):
        rng = np.random.default_rng(length)
        query, key, value = rng.normal(size=(3, 1, 2, length, 8))
        query, key = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key))
        decay = np.exp(-strength * rng.exponential(size=key.shape[: 3 if kind == "key" else 4]))
        decay[:, :, :5], decay[:, :, 5::7] = 0.99, 0.999
        arrays = [x.astype(np.float32) for x in (query, key, value, rng.uniform(size=key.shape[:3]), decay)]
        found, expected = (
            call(one, NAME, *arrays[:4], decay=arrays[4], **options)
            for one, options in ((face, {"chunk_size": chunk_size}), (reference, {}))
        )
        assert np.abs(found - expected).max() < 1e-5 * max(1.0, np.abs(expected).max())


@FACES
def test_errors(face):
    query, key, value, beta = draw()
    refused(face, NAME, (query, key, value, beta[0]), "beta must have shape")
    refused(face, NAME, (query, key, value, beta), "decay must have shape", decay=beta[..., 1:])
    refused(face, NAME, (query, key, value, beta), "decay must have shape", decay=per_column()[..., 1:])
    refused(face, "linear_attention", (query, key, value), "decay must have shape", decay=per_column(), causal=True)
    refused(face, NAME, (query, key, value, beta.astype(int)), "beta must be floating, got int64")
    refused(face, NAME, (query, key, value, beta), "mask must hide a key", mask=np.ones((S, S), bool))
    refused(face, NAME, (query, key, value, beta[..., None]), "beta must have shape")
    refused(face, NAME, (query, key, value, None), "beta must be")
    for wrong in (-0.01, 1.01, np.nan):
        gate = beta.copy()
        gate[1, 2, 7] = wrong
        refused(face, NAME, (query, key, value, gate), "beta must have numbers from 0 to 1")
        refused(face, NAME, (query, key, value, beta), "decay must have numbers from 0 to 1", decay=gate)
        one = [x[:, :, :1] for x in (query, key, value)]
        refused(face, "delta_rule_step", (None, *one, gate[..., 7:8]), "beta must have numbers from 0 to 1")
    if face is not reference:
        for wrong in (0, -1, 1.5):
            refused(face, NAME, (query, key, value, beta), "chunk_size", chunk_size=wrong)


def test_a_graph_reads_no_gate():
    """What lies outside isn't found there: an error that depends on values can't be raised."""
    inputs = [torch.tensor(x) for x in draw()]
    inputs[3] = inputs[3] + 1
    graph = torch.compile(pytorch.delta_rule_attention, backend="eager", fullgraph=True)
    assert graph(*inputs)[0].shape == inputs[2].shape
    assert torch.func.vmap(pytorch.delta_rule_attention, out_dims=(0, None))(*inputs)[0].shape == inputs[2].shape


@pytest.mark.parametrize("length", [1, 5, 64, 200])
def test_the_triangle_of_a_graph_is_the_solvers(length, monkeypatch):
    """In products alone; keys that are all alike are the worst case of an inverse."""
    rng = np.random.default_rng(0)
    system = torch.tensor(np.stack([np.ones((length, length)), rng.normal(size=(length, length))]))
    wanted = torch.tensor(rng.normal(size=(2, length, 7)))
    system[1] /= length
    expected = delta.solve(system, wanted)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    torch.testing.assert_close(delta.solve(system, wanted), expected, rtol=1e-10, atol=1e-10)


def faded(columns):
    """The function with a decay, as a module."""
    module = torch.nn.Module()
    module.forward = lambda query, key, value, beta: pytorch.delta_rule_attention(
        query, key, value, beta, decay=key.sigmoid() if columns else beta, chunk_size=4
    )[0]
    return module


@pytest.mark.parametrize("columns", [False, True])
def test_it_exports_with_any_length(columns):
    """Fewer positions than a chunk, a whole number of chunks, and more."""
    inputs, module = [torch.tensor(x) for x in draw()], faded(columns)
    dims = {0: torch.export.Dim("batch", min=1, max=64), 2: torch.export.Dim("length", min=2, max=512)}
    names = ("query", "key", "value", "beta")
    exported = torch.export.export(module, tuple(inputs), dynamic_shapes=dict.fromkeys(names, dims)).module()
    for length in (2, 4, 8, 11):
        some = [x[:1, :, :length].clone() for x in inputs]
        torch.testing.assert_close(exported(*some), module.forward(*some), rtol=1e-10, atol=1e-10)


def test_it_is_compiled_and_trains_with_any_length():
    """With one decay for all columns; the gradient through the graph's loop."""
    module, found = faded(False), []

    def inputs(length, trained=False):
        some = [torch.tensor(x[:, :, :length], requires_grad=trained) for x in draw()]
        for x in some:
            torch._dynamo.mark_dynamic(x, 2)
        return some

    graph = torch.compile(module.forward, backend="eager", fullgraph=True)
    for length in (2, 4, 8, 11):
        some = inputs(length)
        torch.testing.assert_close(graph(*some), module.forward(*some), rtol=1e-10, atol=1e-10)
    for function in (module.forward, torch.compile(module.forward, backend="aot_eager", fullgraph=True)):
        leaves = inputs(11, trained=True)
        found.append(torch.autograd.grad(function(*leaves).sin().sum(), leaves))
    torch.testing.assert_close(found[1], found[0], rtol=1e-10, atol=1e-10)


@FACE
def test_the_gates_of_a_layer(face):
    x = tensor(face, np.ones((2, 5, 6), np.float32))
    assert face.DeltaRuleAttention(6, 2, decay="learned").gates(x).keys() == {"beta", "decay"}
    assert face.DeltaRuleAttention(6, 2).gates(x).keys() == {"beta"}
    layer = face.DeltaRuleAttention(6, 2, key_dim=4, decay="columns")
    decay, map_of = layer.gates(x)["decay"], layer.decay if face is pytorch else layer.decay_dense
    flat = numbers(map_of(x)).reshape(2, 5, 2, 4).swapaxes(1, 2)  # head by head, as the columns of a key are
    close(decay, 1 / (1 + np.exp(-flat)), 1e-6)
    with pytest.raises(ValueError, match="decay must be one of None, 'fixed', 'learned', 'columns', got 'other'"):
        face.DeltaRuleAttention(6, 2, decay="other")
    with pytest.raises(ValueError, match="decay must be one of None, 'fixed', 'learned', got 'columns'"):
        face.LinearAttention(6, 2, decay="columns")
