"""The language model that ships, the text it writes, its conversion, and the labs of chapter 13 in small."""

import importlib

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.core.kv_cache import cache_bytes
from attn_course.course.labs import decode, uptrain
from attn_course.course.labs.decode.pytorch import make_step
from attn_course.course.labs.generate import __main__ as command
from attn_course.course.plots.explore.numbers import cache_gib
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters
from attn_course.tasks import glassllm
from experiments import draw_from, sinks
from experiments.uptrain import watched

SMALL = {"symbols": 17, "model_dim": 12, "num_heads": 6, "num_kv_heads": 3, "ff_dim": 7, "num_layers": 2}
FACES = pytest.mark.parametrize("face", ["pytorch", "tf"])
TOKENS = np.random.default_rng(0).integers(17, size=(2, 23))


def lab_of(face):
    draw_from(0)
    return importlib.import_module(f"attn_course.course.labs.generate.{face}")


def read(face, model, tokens, cache=None):
    rows = torch.from_numpy(np.array(tokens)) if face == "pytorch" else tensorflow.constant(tokens)
    found = lab_of(face).logits_of(model, rows, cache)
    return found.detach().numpy() if face == "pytorch" else found.numpy()


@FACES
@pytest.mark.parametrize("chunks", [(1,) * 23, (7, 1, 1, 1, 5, 8)], ids=str)
@pytest.mark.parametrize("options", [{}, {"window": 5, "sinks": 2}], ids=["whole", "window"])
def test_a_stack_with_caches_is_the_whole_pass(face, chunks, options):
    """One cache per layer of an ``Encoder``; with a window that of the whole pass through a cache at once."""
    lab = lab_of(face)
    model = lab.build(**SMALL)
    whole = read(face, model, TOKENS, model.new_cache(2, 23, **options))
    if not options:
        np.testing.assert_allclose(whole, read(face, model, TOKENS), rtol=1e-4, atol=1e-5)
    caches, steps = model.new_cache(2, 23, **options), []
    for end in np.cumsum(chunks):
        start = sum(x.shape[1] for x in steps)
        steps.append(read(face, model, TOKENS[:, start:end], caches))
    np.testing.assert_allclose(np.concatenate(steps, axis=1), whole, rtol=1e-4, atol=1e-5)
    assert all(int(cache.length) == 23 for cache in caches)


@FACES
def test_caches_must_be_one_per_layer(face):
    model = lab_of(face).build(**SMALL)
    with pytest.raises(ValueError, match="cache must be a tuple of 2 caches, got 1"):
        read(face, model, TOKENS, model.new_cache(2, 23)[:1])
    with pytest.raises(ValueError, match="cache must be a tuple of 2 caches, got KVCache"):
        read(face, model, TOKENS, model.new_cache(2, 23)[0])


@FACES
def test_conversion(face):
    """Each layer's keys are the mean, or the first, of the group's; all else stays, the model too."""
    lab = lab_of(face)
    model = lab.build(**SMALL)
    before = get_parameters(model)
    for method, pool in (("mean", lambda x: x.mean(1)), ("first", lambda x: x[:, 0])):
        after = get_parameters(lab.convert(model, 1, method))
        for name, array in before.items():
            if "key_weight" in name or "value_weight" in name:
                np.testing.assert_allclose(after[name], pool(array.reshape(12, 3, 2)), rtol=1e-6)
            else:
                np.testing.assert_array_equal(after[name], array)
    drawn = get_parameters(lab.convert(model, 1, "random"))
    assert drawn["stack.layers.1.attention.key_weight"].shape == (12, 2)
    for name, array in get_parameters(model).items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("framework", ["torch", "tf"])
def test_the_command_writes(framework, capsys):
    command.main(["--framework", framework, "--prompt", "Alice was", "--length", "3", "--temperature", "0"])
    written = capsys.readouterr().out
    assert written.startswith("Alice was") and "tokens per second" in written


@pytest.mark.parametrize("framework", ["torch", "tf"])
def test_the_command_trains(framework, capsys, monkeypatch):
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    chosen = ["--framework", framework, "--train", "2", "--prompt", "def ", "--length", "4"]
    command.main([*chosen, "--window", "3", "--sinks", "1"])
    written = capsys.readouterr().out
    assert written.startswith("def ") and len(written.split("\n\n")[0]) >= 8


def test_weights_fit_the_sizes():
    weights = glassllm.load_weights()
    assert sum(x.size for x in weights.values()) == 852_608
    assert weights["embedding.weight"].shape == (glassllm.SIZES["symbols"], glassllm.SIZES["model_dim"])
    assert len(glassllm.load_tokenizer()) == glassllm.SIZES["symbols"]


# --- the calculator ---


def test_cache_bytes():
    assert cache_bytes([(80, 2 * 8 * 128)], 1) == 327_680  # Llama 2 70B
    assert cache_bytes([(80, 2 * 64 * 128)], 1) == 2_621_440  # and were it MHA
    assert cache_bytes([(18, 1024, 128), (18, 1024)], 131072) == 2 * 1024 * 18 * (128 + 131072)
    assert cache_bytes([(3, 5)], 7, batch=11, bytes_per_value=0.5) == 3 * 5 * 7 * 11 / 2
    assert cache_gib([(3, 1 << 29)], 2, 4, 1) == 12
    for wrong, words in (
        (([], 1), "parts must hold at least one"),
        (([(0, 5)], 1), "layers of parts must be at least 1, got 0"),
        (([(1, 5)], 0), "context must be at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=words):
            cache_bytes(*wrong)
    with pytest.raises(ValueError, match="bytes_per_value must be above 0, got 0"):
        cache_bytes([(1, 1)], 1, bytes_per_value=0)


# --- the labs ---


@FACES
def test_watched_looks_before_between_and_behind(monkeypatch, face):
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    lab = lab_of(face)
    model = lab.build(**SMALL)
    text = np.random.default_rng(1).integers(17, size=200)
    tested = uptrain.windows(text, 8, 5)
    np.testing.assert_array_equal(tested[0][1], text[8:16])
    np.testing.assert_array_equal(tested[1], uptrain.windows(text[1:], 8, 5)[0])
    data = uptrain.batches(text, seed=0, length=8, count=3)
    found = watched(face, model, data, tested, steps=6, rate=1e-2, every=2)
    assert [step for step, *_ in found] == [0, 2, 4, 6]
    nats, right = lab.score(model, *tested)
    assert found[-1][1:] == (round(float(nats.mean()), 4), round(float(right.mean()), 4))
    assert found[0][1] == pytest.approx(np.log(17), abs=0.3) and found[-1][1] != found[0][1]


def test_behind_begin():
    tokens = np.arange(1, 13).reshape(2, 6)
    found, targets = next(sinks.behind_begin([(tokens, tokens + 1)]))
    assert found[0].tolist() == [0, 1, 2, 3, 4, 5] and targets[0].tolist() == [1, 2, 3, 4, 5, 6]


def test_sinks_read_is_the_whole_pass():
    model = lab_of("pytorch").build(**SMALL)
    tokens = np.random.default_rng(2).integers(17, size=(2, 33))
    sizes = {"length": 32, "memory": 32}
    losses, right = sinks.read(model, tokens[:, :-1], tokens[:, 1:], "all", **sizes)
    nats, guess = lab_of("pytorch").score(model, tokens[:, :-1], tokens[:, 1:])
    np.testing.assert_allclose(losses, nats, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(right, guess)
    full, _ = sinks.read(model, tokens[:, :-1], tokens[:, 1:], "4 sinks", length=32, memory=40)
    np.testing.assert_allclose(full, nats, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", decode.KINDS)
def test_bytes_of_a_step_are_the_formula_s(kind):
    step, size = make_step(kind, 19)
    assert size == decode.cached(kind, 19) and step().shape == (1, 32, 1, 64)
    assert decode.products(kind, 19) % (19 * 32) == 0
