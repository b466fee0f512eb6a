"""``from_huggingface`` beside transformers itself: modules with random weights, nothing downloaded."""

import copy
import re
import runpy
from dataclasses import replace
from pathlib import Path

import api_sections
import modules
import numpy as np
import pytest
import transformers
from oracle_modules import ABOUT, call, rebuilt, without
from support import FACE, close, numbers, tensor
from transformers.cache_utils import DynamicCache

from attn_course import pytorch, tf
from attn_course.frameworks import torch
from attn_course.masks import sliding_window_mask

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "replace_attention.py"
REPORT = EXAMPLE.parents[1] / "experiments" / "topk_ties.md"
ROW = pytest.mark.parametrize("row", ABOUT["rows"])
# Causal, by ours too: the chunks of Llama 4 are the caller's mask. AT_ONCE: a text without a cache, and without padding
# before it, which would move the blocks.
AT_ONCE = ("deepseek-v4 window", "deepseek-v4 hca", "deepseek-v4 csa", "minimax-m3")
CAUSAL = [row for row in ABOUT["rows"] if row not in ("bert", "gpt2", "llama4 chunks", *AT_ONCE)]
B, T, G, K = modules.B, modules.T, modules.G, modules.K
REAL = np.arange(T) >= np.array([[2], [0]])  # padding on the left
CHUNKS = ((0, 4), (4, 5), (5, 7))


@pytest.fixture(scope="module")
def rows():
    """By its name every module, its attention, how it makes rotary positions; an input, and what the module says."""
    torch.manual_seed(1)
    return {name: (*row, *modules.golden(name, *row)[1:]) for name, *row in modules.rows()}


def test_it_is_the_version_of_the_goldens(rows):
    assert transformers.__version__ == ABOUT["versions"]["transformers"]
    assert rows.keys() == ABOUT["rows"].keys()


@FACE
@ROW
def test_ours_says_what_theirs_says(face, row, rows):
    module, _, _, x, output = rows[row]
    found = numbers(call(face, row, face.from_huggingface(module), tensor(face, x.numpy())))
    assert np.abs(found - output.numpy()).max() / output.abs().max() < 1e-5


@FACE
def test_the_example_of_the_package_s_page(face, capsys):
    """Which the other tests run with a stand-in."""
    exec("\n".join(api_sections.example("huggingface", face.__name__.rpartition(".")[2])), {})
    assert capsys.readouterr().out == "True\n"


@FACE
@pytest.mark.parametrize("row", AT_ONCE)
def test_many_blocks(face, row, rows):
    """At 61 words, of which the indexers choose few blocks, or entries."""
    module, attention, rope, _, _ = rows[row]
    x = torch.randn(2, 61, modules.D, generator=torch.Generator().manual_seed(0))
    output = modules.said(module, attention, rope, x, torch.ones(2, 61, dtype=torch.bool)).numpy()
    found = numbers(face.from_huggingface(module)(tensor(face, x.numpy()))[0])
    assert np.abs(found - output).max() / np.abs(output).max() < 1e-5


def test_the_report_on_ties(capsys, monkeypatch):
    """Its program gives what stands below it: as far apart with few index heads, equal with many or with a rule."""
    monkeypatch.setattr(torch.Tensor, "topk", torch.Tensor.topk)  # which the program puts another for
    program, told = re.findall(r"```\w*\n(.*?)```", REPORT.read_text(encoding="utf-8"), re.DOTALL)
    exec(program, {})
    found = capsys.readouterr().out
    assert found.splitlines()[:6] == told.splitlines()[:6]
    one, other = (re.findall(r"(\d+) index heads: topk (.{4}), stable sort (.{4})", text) for text in (found, told))
    for (heads, tied, ruled), known in zip(one, other, strict=True):
        assert (heads, ruled) == (known[0], "0.00")
        assert (tied == "0.00") == (heads == "16") and abs(float(tied) - float(known[1])) < 0.05


# --- attention alone, in float64: their norm, softmax and rotation are in float32 ---------


@pytest.fixture(scope="module")
def attentions(rows):
    """Of each causal module its attention in float64, an input, and what it says: whole, and by its own cache."""
    found = {}
    for name, (_, attention, rope, x, _) in rows.items():
        if name in CAUSAL:
            attention, x = copy.deepcopy(attention).double(), x.double()
            output = modules.said(attention, attention, rope, x, torch.from_numpy(REAL))
            mask, steps = modules.mask_of(attention, x, torch.from_numpy(REAL)), []
            indexed = type(attention).__name__ == "DeepseekV32Attention"
            cache = DynamicCache(config=attention.config if indexed else None)
            for a, b in CHUNKS:
                given = {"position_embeddings": rope(x, torch.arange(a, b)[None]), "past_key_values": cache}
                with torch.no_grad():
                    steps.append(attention(x[:, a:b], attention_mask=mask[:, :, a:b, :b], **given)[0])
            close(torch.cat(steps, 1)[REAL], output[REAL])
            found[name] = attention, x.numpy(), output.numpy()
    return found


def whole(face, layer, x, mask=None, **options):
    """What ours says of the whole text, given what is not padding and a mask more."""
    mask = REAL[:, None, None] if mask is None else mask & REAL[:, None, None]
    return numbers(layer(tensor(face, x), mask=tensor(face, mask), causal=True, **options)[0])


def in_chunks(face, layer, x, cache, **options):
    parts = []
    for a, b in CHUNKS:
        mask = tensor(face, REAL[:, None, None, :b])
        parts.append(layer(tensor(face, x[:, a:b]), mask=mask, causal=True, cache=cache, **options)[0])
    return np.concatenate([numbers(part) for part in parts], axis=1)


def near(found, expected, tolerance=2e-6):
    """But for rows of padding, which are each library's own affair."""
    np.testing.assert_allclose(found[REAL], expected[REAL], tolerance, tolerance)


@FACE
@pytest.mark.parametrize("row", CAUSAL)
def test_behind_padding(face, row, attentions):
    attention, x, output = attentions[row]
    layer = face.from_huggingface(attention)
    near(whole(face, layer, x), output)
    near(whole(face, layer, x, need_weights=False), output)


@FACE
@pytest.mark.parametrize("row", [row for row in CAUSAL if row in ("llama", "qwen3") or row.startswith("deepseek")])
def test_behind_padding_with_a_cache(face, row, attentions):
    """In a prompt and steps: groups with a cache and with one in pages, latents also absorbed."""
    attention, x, output = attentions[row]
    if row.startswith("deepseek"):
        layer = type(face.from_huggingface(attention)).from_huggingface(attention)
        near(whole(face, layer, x, absorbed=True), output)
        near(in_chunks(face, layer, x, layer.new_cache(B, T), absorbed=True), output)
    else:
        layer, kind = face.from_huggingface(attention), {"dtype": torch.float64 if face is pytorch else "float64"}
        near(in_chunks(face, layer, x, face.PagedKVCache(B, G, T, K, block_size=3, **kind)), output)
    near(whole(face, layer, x), output)
    near(in_chunks(face, layer, x, layer.new_cache(B, T)), output)


@pytest.mark.parametrize("kind", ["GroupedQueryAttention", "MultiHeadAttention"])
@pytest.mark.parametrize(
    "row", ["qwen3", "qwen3-next", "gemma2 full_attention", "gpt-oss full_attention", "gpt-oss sliding_attention"]
)
def test_parts_in_two_classes(row, kind, attentions):
    """Norm, gate, cap, scale and sinks; a window as a mask. TensorFlow is as PyTorch, and closer than the library."""
    attention, x, output = attentions[row]
    mask = sliding_window_mask(T, T, modules.W, causal=True) if "sliding" in row else None
    found = {}
    for face in (pytorch, tf):
        layer = rebuilt(face, attention, lambda one: replace(one, kind=kind, options=without(one.options, "window")))
        assert type(layer).__name__ == kind
        found[face] = [whole(face, layer, x, mask, need_weights=need_weights) for need_weights in (True, False)]
    for one, other in zip(*found.values(), strict=True):
        near(one, output)
        near(other, one, 1e-12)


@pytest.mark.filterwarnings("ignore")  # the library's own
def test_the_example_as_it_stands(capsys):
    """A BERT whose layers see 16 positions; with a window that holds the text, it says what BERT says."""
    told = runpy.run_path(str(EXAMPLE), run_name="__main__")
    whole, near = (float(x) for x in re.findall(r"at most (\S+) from", capsys.readouterr().out))
    assert whole < 1e-5 < 0.01 < near
    torch.manual_seed(0)
    config = transformers.BertConfig(hidden_size=24, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4)
    model, tokens = transformers.BertModel(config).eval(), torch.randint(1000, (2, 20))
    mask = torch.arange(20) < torch.tensor([[20], [13]])
    with torch.no_grad():
        expected = model(tokens, attention_mask=mask).last_hidden_state
        for window, alike in ((20, True), (3, False)):
            layers = [told["Windowed"](layer, window=window) for layer in model.encoder.layer]
            other = transformers.BertModel(config).eval()
            other.load_state_dict(model.state_dict())
            other.encoder.layer = torch.nn.ModuleList(layers)
            found = other(tokens, attention_mask=mask).last_hidden_state
            assert bool(torch.allclose(found[mask], expected[mask], atol=1e-4)) == alike
