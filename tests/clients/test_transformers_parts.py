"""Positions, patterns and the delta rules beside transformers: functions and modules that are no whole layer."""

import inspect

import numpy as np
import pytest
import torch
import transformers
from support import FACE, FACES, build, draw, numbers, tensor, to
from transformers.masking_utils import sliding_window_causal_mask_function
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention, BigBirdModel
from transformers.models.gptj import modeling_gptj
from transformers.models.kimi_linear import modeling_kimi_linear
from transformers.models.llama import modeling_llama
from transformers.models.llama4 import modeling_llama4
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention
from transformers.models.qwen3_next import modeling_qwen3_next
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert

from attn_course import masks, reference
from attn_course.parity import get_parameters, set_parameters

# The library takes powers and angles in float32: positions to 40 times an ulp of the frequency.
FLOAT32 = {"rtol": 0, "atol": 1e-5}
CLOSE = {"rtol": 1e-6, "atol": 0}


def fill(module):
    """The module in float64, with weights that are drawn in the order of their names."""
    for number, (_, parameter) in enumerate(sorted(module.double().named_parameters())):
        parameter.data = torch.from_numpy(draw(*parameter.shape, seed=number)) * 0.5
    return module


def maps(module, **names):
    """Weights and biases by our names, (in, out)."""
    found = {}
    for ours, theirs in names.items():
        part = getattr(module, theirs)
        found |= {f"{ours}_weight": numbers(part.weight.T), f"{ours}_bias": numbers(part.bias)}
    return found


# --- positions ----------------------------------------------------------------------------


@FACES
def test_sinusoids_of_wav2vec2_bert(face):
    """Its rows come from the last position to the first."""
    config = transformers.Wav2Vec2BertConfig(hidden_size=6, max_source_positions=40, num_attention_heads=2)
    theirs = modeling_wav2vec2_bert.Wav2Vec2BertRelPositionalEmbedding(config).pe[0, :40].flip(0)
    np.testing.assert_allclose(numbers(face.sinusoidal_encoding(*theirs.shape)), theirs, **FLOAT32)


def rotations(x):
    """A query (B, H, T, K) as Llama turns it, by halves, and as GPT-J does, by pairs of neighbours."""
    x, positions = torch.from_numpy(x).float(), torch.arange(x.shape[2])
    config = transformers.LlamaConfig(hidden_size=12, num_attention_heads=2)
    waves = modeling_llama.LlamaRotaryEmbedding(config)(x, positions[None])
    half, _ = modeling_llama.apply_rotary_pos_emb(x, x, *waves)
    sines, cosines = modeling_gptj.create_sinusoidal_positions(*x.shape[2:])[None].chunk(2, dim=-1)
    interleaved = modeling_gptj.apply_rotary_pos_emb(x.transpose(1, 2), sines, cosines).transpose(1, 2)
    return {"half": half.numpy(), "interleaved": interleaved.numpy()}


@FACES
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rotations_of_llama_and_gpt_j(face, layout):
    for x in draw(2, 1, 2, 7, 6):
        found = face.rotate(tensor(face, x), np.arange(7), layout=layout)
        np.testing.assert_allclose(numbers(found), rotations(x)[layout], **FLOAT32)


def test_llama_and_gpt_j_differ_by_the_layout_alone():
    x = draw(1, 2, 7, 6)
    theirs = rotations(x)
    moved = reference.rotate(reference.change_layout(x, to="half"), np.arange(7))
    np.testing.assert_allclose(moved, reference.change_layout(theirs["interleaved"], to="half"), **FLOAT32)
    assert np.abs(theirs["half"] - theirs["interleaved"]).max() > 0.5


@FACES
def test_shaw_of_wav2vec2_bert(face):
    """Its relative keys; the vectors for the values are zero, as the library has none."""
    sizes = {"left_max_position_embeddings": 2, "right_max_position_embeddings": 2, "attention_dropout": 0.0}
    sizes |= {"hidden_size": 12, "num_attention_heads": 2, "position_embeddings_type": "relative_key"}
    config = transformers.Wav2Vec2BertConfig(**sizes, attn_implementation="eager")
    module, x = fill(modeling_wav2vec2_bert.Wav2Vec2BertSelfAttention(config)).eval(), draw(1, 7, 12)
    parameters = maps(module, **{name: f"linear_{name[0]}" for name in ("query", "key", "value")}, output="linear_out")
    parameters["relative_key"] = numbers(module.distance_embedding.weight)
    parameters["relative_value"] = np.zeros_like(parameters["relative_key"])
    if face is reference:
        found = reference.relative_attention(x, x, x, parameters, num_heads=2)
    else:
        layer = build(face, "RelativeAttention", 12, 2, max_distance=2, use_bias=True)
        set_parameters(layer, parameters)
        found = layer(tensor(face, x))
    for one, theirs in zip(found, module(torch.from_numpy(x)), strict=True):
        np.testing.assert_allclose(numbers(one), numbers(theirs), rtol=1e-7, atol=1e-7)


# --- longer than training -----------------------------------------------------------------


def rope(dim, base, trained_length, **rule):
    sizes = {"hidden_size": 2 * dim, "num_attention_heads": 2, "head_dim": dim}
    made = transformers.LlamaConfig(**sizes, max_position_embeddings=trained_length)
    made.rope_parameters = {"rope_theta": base, **rule}
    return made


# Width of a head, base, trained length, factor; the rule, and what it is told in their words and in ours.
SIZES = ((64, 10000.0, 2048, 4.0), (128, 500000.0, 8192, 8.0), (16, 10000.0, 64, 4.0), (6, 100.0, 23, 2.5))
RULES = [
    ("linear", {}, {}),
    ("dynamic", {}, {"length": 3.0}),  # times the trained length
    ("dynamic", {}, {"length": 0.2}),
    ("yarn", {}, {}),
    ("yarn", {"beta_fast": 8.0, "beta_slow": 2.0}, {"low": 2.0, "high": 8.0}),
    ("llama3", {"low_freq_factor": 1.0, "high_freq_factor": 4.0}, {}),
    ("llama3", {"low_freq_factor": 0.5, "high_freq_factor": 7.0}, {"low": 0.5, "high": 7.0}),
]


@FACES
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_frequencies_of_transformers(face, sizes, rule):
    (dim, base, trained, factor), (name, told, asked) = sizes, rule
    config = rope(dim, base, trained, rope_type=name, factor=factor, original_max_position_embeddings=trained, **told)
    asked = {key: int(x * trained) if key == "length" else x for key, x in asked.items()}
    theirs, scale_of_theirs = ROPE_INIT_FUNCTIONS[name](config, "cpu", seq_len=asked.get("length"))
    asked |= {"base": base, "factor": factor, "trained_length": trained}
    found, scale = face.rotary_frequencies(dim, **asked, method="ntk" if name == "dynamic" else name)
    np.testing.assert_allclose(numbers(found), theirs, **CLOSE)
    assert scale == pytest.approx(scale_of_theirs, rel=1e-12)
    if face is reference and sizes == SIZES[0] and rule == RULES[3]:  # the example of the text
        share = numbers(theirs) / reference.rotary_frequencies(64)[0]
        np.testing.assert_allclose(share[:9], 1, rtol=1e-6)
        np.testing.assert_allclose(share[21:], 0.25, rtol=1e-6)
        assert share[9] < 1 - 1e-3 and share[20] > 0.25 + 1e-3 and scale == pytest.approx(1.1386, abs=5e-5)


@FACES
def test_partial_and_proportional_rotation_are_not_the_same(face):
    """A quarter of the columns with a ladder of their own; or the first quarter of the whole ladder."""
    partial = rope(64, 10000.0, 2048, rope_type="linear", factor=1.0, partial_rotary_factor=0.25)
    theirs, _ = ROPE_INIT_FUNCTIONS["linear"](partial, "cpu")
    np.testing.assert_allclose(numbers(face.rotary_frequencies(16)[0]), theirs, **CLOSE)
    still = rope(64, 10000.0, 2048, rope_type="proportional", partial_rotary_factor=0.25)
    whole = numbers(face.rotary_frequencies(64)[0])
    whole[8:] = 0
    np.testing.assert_allclose(whole, ROPE_INIT_FUNCTIONS["proportional"](still, "cpu")[0], **CLOSE)


@FACES
def test_llama_turned_by_yarn(face):
    """Far along, with the scale on query and key."""
    rule = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 23}
    pair, places = draw(2, 1, 2, 7, 16).astype("f"), np.arange(90, 97)
    waves = modeling_llama.LlamaRotaryEmbedding(rope(16, 10000.0, 23, **rule))
    waves = waves(torch.from_numpy(pair[0]), torch.from_numpy(places)[None])
    theirs = modeling_llama.apply_rotary_pos_emb(*map(torch.from_numpy, pair), *waves)
    steps, scale = face.rotary_frequencies(16, method="yarn", factor=4.0, trained_length=23)
    query, key = to(face, *pair.astype(float))
    if face is reference:
        found = [face.rotate(x, places, frequencies=steps, scale=scale) for x in (query, key)]
    else:
        found = build(face, "RotaryEncoding", 16, frequencies=steps, scale=scale)(query, key, first_position=90)
    for one, other in zip(found, theirs, strict=True):
        np.testing.assert_allclose(numbers(one), other, rtol=0, atol=3e-5)


@FACES
def test_the_queries_of_llama_4(face, monkeypatch):
    """What it multiplies the queries of its layers without rotation with."""
    text = {"hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": 8}
    text |= {"num_hidden_layers": 1, "no_rope_layers": [0], "floor_scale": 7, "attn_scale": 0.3}
    config = transformers.Llama4TextConfig(**text, attn_implementation="eager", attn_temperature_tuning=True)
    layer, seen = modeling_llama4.Llama4TextAttention(config, 0).double(), []

    def keep(module, query, *given, **options):
        seen.append(query)
        return query.transpose(1, 2), None

    monkeypatch.setattr(modeling_llama4, "eager_attention_forward", keep)
    x = torch.from_numpy(draw(1, 30, 8))
    layer(x, torch.polar(torch.ones(1, 30, 2), torch.zeros(1, 30, 2)), None)
    scale = numbers(seen[0] / layer.q_proj(x).view(1, 30, 2, 4).transpose(1, 2))
    found = numbers(face.log_length_scale(tensor(face, np.arange(30)), trained_length=7, strength=0.3))
    np.testing.assert_allclose(np.broadcast_to(found[:, None], scale.shape), scale, rtol=1e-6)


# --- patterns -----------------------------------------------------------------------------

SIDE, GLOBAL = 3, (0, 7)  # Longformer's keys to each side: its attention_window is twice that
REAL = masks.padding_mask([24, 19], 24)


def longformer(width, one_projection):
    """Its attention, which ends before the output's projection; an input, and what it says."""
    sizes = {"hidden_size": width, "num_attention_heads": 2, "attention_window": [2 * SIDE]}
    config = transformers.LongformerConfig(**sizes, attention_probs_dropout_prob=0.0)
    module, x = fill(LongformerSelfAttention(config, 0)).eval(), draw(2, 24, width)
    if one_projection:
        for name in ("query", "key", "value"):
            getattr(module, f"{name}_global").load_state_dict(getattr(module, name).state_dict())
    mask = torch.zeros(2, 24, dtype=torch.float64)
    mask[:, list(GLOBAL)] = 10000.0
    mask[~torch.from_numpy(REAL)] = -10000.0
    where = {"is_index_masked": mask < 0, "is_index_global_attn": mask > 0, "is_global_attn": True}
    return module, x, numbers(module(torch.from_numpy(x), attention_mask=mask, **where)[0])


def heads_of(module, x, num_heads):
    """The library's own projections, split into heads."""
    return [reference.split_heads(numbers(getattr(module, name)(torch.from_numpy(x))), num_heads)
            for name in ("query", "key", "value")]  # fmt: skip


@FACES
def test_longformer_attention(face):
    """Their attention_window counts both sides together, ours one side and the query itself."""
    module, x, output = longformer(6, one_projection=True)
    inputs, mask = to(face, *heads_of(module, x, 2)), tensor(face, REAL[:, None, None])
    for window, right in ((SIDE + 1, True), (SIDE, False)):
        found, _ = face.longformer_attention(*inputs, window=window, positions=list(GLOBAL), mask=mask)
        found = reference.merge_heads(numbers(found))[REAL]
        assert np.allclose(found, output[REAL], rtol=1e-6, atol=1e-7) == right
        assert right or np.abs(found - output[REAL]).max() > 1e-2


@FACE
def test_global_projections_are_longformers(face):
    """Ours has an output's projection, here the identity. The global softmax of theirs is in float32."""
    module, x, output = longformer(10, one_projection=False)
    names = [f"{name}{end}" for name in ("query", "key", "value") for end in ("", "_global")]
    parameters = maps(module, **{name: name for name in names}) | {"output_weight": np.eye(10)}
    parameters["output_bias"] = np.zeros(10)
    sizes = {"window": SIDE + 1, "positions": list(GLOBAL)}
    layer = build(face, "LongformerAttention", 10, 2, global_projections=True, **sizes)
    assert get_parameters(layer).keys() == parameters.keys()
    set_parameters(layer, parameters)
    mask = tensor(face, REAL[:, None, None])
    found = numbers(layer(tensor(face, x), mask=mask)[0])
    np.testing.assert_allclose(found[REAL], output[REAL], rtol=1e-5, atol=1e-5)
    shared = build(face, "LongformerAttention", 10, 2, **sizes)
    set_parameters(shared, {name: x for name, x in parameters.items() if "global" not in name})
    other = numbers(shared(tensor(face, x), mask=mask)[0])
    rows = np.isin(np.arange(24), GLOBAL)
    assert np.abs(other - output)[:, rows].max() > 1e-2
    np.testing.assert_allclose(other[:, ~rows][REAL[:, ~rows]], output[:, ~rows][REAL[:, ~rows]], rtol=1e-5, atol=1e-5)


def big_bird():
    """A module, an input, what it says, and its layout of blocks, read off its own weights.

    In training mode without dropout: in evaluation mode all its random blocks are block 0. It gathers a repeated block
    twice, so the seed is one that repeats none.
    """
    size, number, random = 2, 14, 2
    sizes = {"hidden_size": 6, "num_attention_heads": 1, "block_size": size, "num_random_blocks": random}
    config = transformers.BigBirdConfig(**sizes, attention_probs_dropout_prob=0.0, max_position_embeddings=28)
    module, x = fill(BigBirdBlockSparseAttention(config, seed=3)).train(), draw(2, size * number, 6)
    given = BigBirdModel.create_masks_for_block_sparse_attn(torch.ones(x.shape[:2]), size)
    blocked, band, from_mask, to_mask = (mask.double() for mask in given)
    inputs = torch.from_numpy(x), band, from_mask, to_mask, blocked, blocked
    output, weights = module(*inputs, output_attentions=True)
    seen = numbers(weights[0, 0] > 0)
    layout = seen.reshape(number, size, number, size).any((1, 3))
    np.testing.assert_array_equal(np.kron(layout, np.ones((size, size), bool)), seen)
    assert set(layout.sum(1)[2:-2]) == {5 + random}, "a random block was drawn twice"
    return module, x, numbers(output), layout


@FACES
def test_blocks_of_big_bird(face):
    """Its layout has the ends, the window and two random blocks of ours."""
    module, x, output, layout = big_bird()
    ours = masks.big_bird_layout(len(layout), num_random=0, seed=0)
    assert layout[ours].all() and set((layout & ~ours).sum(axis=1)[1:-1]) == {2}
    found, _ = face.block_sparse_attention(*to(face, *heads_of(module, x, 1)), layout, 2)
    np.testing.assert_allclose(reference.merge_heads(numbers(found)), output, rtol=1e-6, atol=1e-7)


def test_its_sliding_window_counts_keys():
    """``sliding_window`` of w is ours: w keys, the query's own among them."""
    rule, i = sliding_window_causal_mask_function(4), torch.arange(24)
    found = rule(0, 0, i[:, None], i).numpy()
    np.testing.assert_array_equal(found, masks.sliding_window_mask(24, 24, 4, causal=True))


# --- delta rules --------------------------------------------------------------------------


@FACES
@pytest.mark.parametrize("form", ["recurrent", "chunk"])
@pytest.mark.parametrize("columns", [False, True], ids=["qwen3_next", "kimi_linear"])
def test_gated_delta_rule_of_qwen3_next_and_kimi_linear(face, form, columns):
    """In float32, and with positions before heads."""
    query, key = draw(2, 2, 3, 11, 5)
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    value, (decay, beta) = draw(2, 3, 11, 7, seed=1), np.random.default_rng(2).uniform(size=(2, 2, 3, 11))
    decay = 0.3 + 0.7 * (np.random.default_rng(3).uniform(size=key.shape) if columns else decay)
    inputs = [torch.from_numpy(x).float().transpose(1, 2) for x in (query, key, value, np.log(decay), beta)]
    rule = getattr(modeling_qwen3_next, f"torch_{form}_gated_delta_rule")
    if columns:
        rule = inspect.unwrap(getattr(modeling_kimi_linear, f"{form}_kimi_delta_attention"))
    options = {"g": inputs[3], "beta": inputs[4], "initial_state": None, "output_final_state": False}
    theirs = numbers(rule(*inputs[:3], **options)[0].transpose(1, 2)) * 5**0.5
    chunks = {} if face is reference else {"chunk_size": 4}
    ours = to(face, query, key, value, beta)
    found, _ = face.delta_rule_attention(*ours, decay=tensor(face, decay), **chunks)
    np.testing.assert_allclose(numbers(found), theirs, rtol=1e-5, atol=1e-5)
