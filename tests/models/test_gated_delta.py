"""The linear layers of Qwen3-Next, Qwen3.5 and Kimi Linear, from stored weights, against a loop over the positions."""

import numpy as np
import pytest
from oracle_modules import stub
from support import FACE, build, close, draw, gradients, in_chunks, numbers, tensor, to

from attn_course import pytorch, tf
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.parity import get_parameters

B, T, D, H, G, K, V, N = 2, 9, 8, 6, 3, 4, 5, 3
X = draw(B, T, D, seed=20)


def silu(x):
    return x / (1 + np.exp(-x))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def qwen(joined):
    """State and attributes: one matrix a kind, or all of a key's head together, as Qwen3-Next has it."""
    maps = {name: draw(size, D, seed=n) for n, (name, size) in enumerate({"q": G * K, "k": G * K, "v": H * V}.items())}
    more = {"z": draw(H * V, D, seed=3), "b": draw(H, D, seed=4), "a": draw(H, D, seed=5)}
    state = {
        "conv1d.weight": draw(2 * G * K + H * V, 1, N, seed=6),
        "dt_bias": draw(H, seed=7),
        "A_log": draw(H, seed=8),
    }
    state |= {"norm.weight": draw(V, seed=9), "out_proj.weight": draw(D, H * V, seed=10)}
    if joined:
        by_head = {name: x.reshape(G, -1, D) for name, x in (maps | more).items()}
        state["in_proj_qkvz.weight"] = np.concatenate([by_head[x] for x in "qkvz"], 1).reshape(-1, D)
        state["in_proj_ba.weight"] = np.concatenate([by_head[x] for x in "ba"], 1).reshape(-1, D)
    else:
        state |= {f"in_proj_{name}.weight": x for name, x in more.items()}
        state["in_proj_qkv.weight"] = np.concatenate([*maps.values()])
    own = {"hidden_size": D, "num_v_heads": H, "num_k_heads": G, "head_k_dim": K, "head_v_dim": V, "activation": "silu"}
    return state, own, maps | more


def kimi():
    maps = {name: draw(H * K, D, seed=n) for n, name in enumerate("qkv")} | {"b": draw(H, D, seed=3)}
    state = {f"{name}_proj.weight": x for name, x in maps.items()}
    pairs = {
        "g_a_proj": (K, D),
        "g_b_proj": (H * K, K),
        "forget_gate.f_a_proj": (K, D),
        "forget_gate.f_b_proj": (H * K, K),
    }
    state |= {f"{name}.weight": draw(*shape, seed=n + 4) for n, (name, shape) in enumerate(pairs.items())}
    state |= {"conv1d.weight": draw(3 * H * K, 1, N, seed=8), "forget_gate.dt_bias": draw(H * K, seed=9)}
    state |= {"forget_gate.A_log": draw(1, 1, H, 1, seed=10), "o_norm.weight": draw(K, seed=11)}
    state["o_proj.weight"] = draw(D, H * K, seed=12)
    return state, {"hidden_size": D, "num_heads": H, "head_dim": K, "activation": "silu"}, maps


def module(kind):
    """What stands for the library's module."""
    state, own, _ = kimi() if kind == "KimiLinearDeltaAttention" else qwen(kind == "Qwen3NextGatedDeltaNet")
    norm = stub("Norm", {}, activation="sigmoid" if "o_norm.weight" in state else "silu", variance_epsilon=1e-3)
    return stub(kind, state, **own, **{"o_norm" if "o_norm.weight" in state else "norm": norm})


def loop(kind, x):
    """Position by position and head by head, from their matrices (out, in)."""
    is_kimi = kind == "KimiLinearDeltaAttention"
    state, _, maps = kimi() if is_kimi else qwen(True)
    groups, width = (H, K) if is_kimi else (G, V)
    joint = np.concatenate([maps["q"], maps["k"], maps["v"]]) @ x.T  # (columns, positions)
    taps = state["conv1d.weight"][:, 0]
    mixed = np.zeros_like(joint)
    for t in range(len(x)):
        for n in range(N):
            if t - n >= 0:
                mixed[:, t] += taps[:, N - 1 - n] * joint[:, t - n]
    query, key, value = np.split(silu(mixed), [groups * K, 2 * groups * K])
    heads = np.zeros((H, K, width))
    outputs = []
    for t, word in enumerate(x):
        parts = []
        for h in range(H):
            group = h * groups // H
            q, k = (part[group * K : (group + 1) * K, t] for part in (query, key))
            q, k = (y / np.sqrt((y * y).sum() + 1e-6) for y in (q, k))
            v = value[h * width : (h + 1) * width, t]
            if is_kimi:
                rate = state["forget_gate.A_log"][0, 0, h, 0]
                step = state["forget_gate.f_b_proj.weight"] @ (state["forget_gate.f_a_proj.weight"] @ word)
                step = (step + state["forget_gate.dt_bias"])[h * K : (h + 1) * K]
                gate = sigmoid(state["g_b_proj.weight"] @ (state["g_a_proj.weight"] @ word))
            else:
                rate, step = state["A_log"][h], maps["a"][h] @ word + state["dt_bias"][h]
                gate = silu(maps["z"] @ word)
            heads[h] *= np.broadcast_to(np.exp(-np.exp(rate) * np.log1p(np.exp(step))), K)[:, None]
            heads[h] += np.outer(k, sigmoid(maps["b"][h] @ word) * (v - heads[h].T @ k))
            read = heads[h].T @ q / np.sqrt(K)
            read = read / np.sqrt((read * read).mean() + 1e-3)
            scale = state["o_norm.weight" if is_kimi else "norm.weight"]
            parts.append(scale * read * gate[h * width : (h + 1) * width])
        outputs.append(state["o_proj.weight" if is_kimi else "out_proj.weight"] @ np.concatenate(parts))
    return np.array(outputs)


KIND = pytest.mark.parametrize("kind", ["Qwen3NextGatedDeltaNet", "Qwen3_5GatedDeltaNet", "KimiLinearDeltaAttention"])


@FACE
@KIND
def test_a_layer_is_the_loop(face, kind):
    layer = face.from_huggingface(module(kind))
    found, weights = layer(tensor(face, X), causal=True)
    assert weights is None
    for row in range(B):
        close(found[row], loop(kind, X[row]))


@FACE
@KIND
def test_padding_changes_nothing(face, kind):
    layer, real = face.from_huggingface(module(kind)), np.arange(T) >= np.array([[0], [4]])
    found = numbers(layer(tensor(face, X), tensor(face, real[:, None, None]))[0])
    close(found[1, 4:], loop(kind, X[1, 4:]))
    with pytest.raises(ValueError, match="mask must"):
        layer(tensor(face, X), tensor(face, real))


@FACE
@KIND
def test_steps_are_the_whole_pass(face, kind):
    """The state keeps its size, and each text begins with none."""
    layer = face.from_huggingface(module(kind))
    for _ in range(2):
        state = layer.new_state(B)
        shapes = [x.shape for x in state.memory]
        for t in range(T):
            found, state = layer.step(tensor(face, X[:, t : t + 1]), state)
            for row in range(B):
                close(found[row, 0], loop(kind, X[row])[t])
        assert [x.shape for x in state.memory] == shapes and int(state.length) == T


@FACE
@KIND
def test_a_cache_reads_on_behind_padding(face, kind):
    """Also where padding stands between two words: the convolution goes on with zeros."""
    layer, real = face.from_huggingface(module(kind)), np.ones((B, T), bool)
    real[1, :2] = real[0, 4] = False
    whole, cache = numbers(layer(*to(face, X, real[:, None, None]))[0]), layer.new_cache(B, T)
    for _ in range(2):
        found = in_chunks(face, layer, X, (3, 1, 1, T - 5), real[:, None, None], causal=True, cache=cache)
        close(found[real], whole[real])
        assert cache.nbytes == 8 * sum(np.prod(x.shape) for x in cache.state.memory)
        cache.reset()


@FACE
def test_a_model_of_it_writes(face):
    """What ``generate`` writes with states is what the whole pass finds likeliest, token by token."""
    make = lambda _: face.from_huggingface(module("Qwen3NextGatedDeltaNet"))  # noqa: E731
    (torch.manual_seed if face is pytorch else keras.utils.set_random_seed)(1)
    model = build(face, "LanguageModel", 11, 2, D, 2, 7, positions=None, attention=make)
    text = np.array([[3, 1, 4], [1, 5, 9]])
    with torch.no_grad():
        written = [numbers(x) for x in face.generate(model, tensor(face, text), max_tokens=5, temperature=0)]
        for tokens in written:
            np.testing.assert_array_equal(tokens, numbers(model(tensor(face, text))[0])[:, -1].argmax(-1))
            text = np.concatenate([text, tokens[:, None]], 1)


@torch.no_grad()
def test_a_step_is_one_graph():
    """Of `torch.compile`, of an exported program, of TensorFlow and XLA; traced once."""
    kind = "Qwen3NextGatedDeltaNet"
    layer, twin = (face.from_huggingface(module(kind)) for face in (pytorch, tf))
    compiled = torch.compile(layer.step, backend="aot_eager", fullgraph=True)
    graph = tensorflow.function(twin.step, jit_compile=True)
    start = layer.new_state(B)
    counted = start._replace(length=torch.tensor(0))  # a number of Python would be a constant
    layer.forward = layer.step
    program = torch.export.export(layer, (tensor(pytorch, X[:, :1]), counted)).module()
    for face, step, state in ((pytorch, compiled, start), (pytorch, program, counted), (tf, graph, twin.new_state(B))):
        for t in range(4):
            found, state = step(tensor(face, X[:, t : t + 1]), state)
            close(found[1, 0], loop(kind, X[1])[t], 1e-8)
    assert graph.experimental_get_tracing_count() == 1


@KIND
def test_both_learn_alike(kind):
    found = []
    for face in (pytorch, tf):
        layer = face.from_huggingface(module(kind))
        found.append(gradients(face, lambda x, layer=layer: layer(x)[0], {"x": X}, layer))
    assert found[0].keys() == found[1].keys() == {"x", *get_parameters(layer)}
    for name, x in found[0].items():
        close(x, found[1][name], 1e-9)


def test_it_is_saved_with_a_model_of_keras(tmp_path):
    layer = tf.from_huggingface(module("Qwen3NextGatedDeltaNet"))
    x = keras.Input((None, D), dtype="float64")
    model = keras.Model(x, layer(x)[0])
    model.save(tmp_path / "model.keras")
    close(keras.models.load_model(tmp_path / "model.keras")(X), model(X))


@FACE
def test_what_ours_has_not_is_refused(face):
    for kind, change, words in (
        ("Qwen3_5GatedDeltaNet", {"activation": "gelu"}, "hidden_act=silu, got gelu"),
        ("KimiLinearDeltaAttention", {"activation": "relu"}, "hidden_act=silu, got relu"),
    ):
        given = module(kind)
        vars(given).update(change)
        with pytest.raises(ValueError, match=words):
            face.from_huggingface(given)
    given = module("Qwen3_5GatedDeltaNet")
    state = given.state_dict()
    given.state_dict = lambda: state | {"conv1d.bias": state["dt_bias"]}
    with pytest.raises(ValueError, match=r"got conv1d\.bias"):
        face.from_huggingface(given)
    with pytest.raises(ValueError, match="cache is not supported by GatedDeltaNet"):
        face.from_huggingface(module("Qwen3_5GatedDeltaNet"))(tensor(face, X), cache=1)
