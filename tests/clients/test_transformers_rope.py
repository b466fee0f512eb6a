"""Every key of ``rope_parameters`` in every class that ``from_huggingface`` takes: the module's numbers, or refused."""

import itertools

import modules
import numpy as np
import pytest
import transformers
from support import FACE, close, numbers, tensor
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS, RopeParameters

from attn_course import pytorch
from attn_course.frameworks import torch

SIZES = modules.SIZES | {"head_dim": 16, "max_position_embeddings": 40}
HALVED = {name: x for name, x in SIZES.items() if name != "head_dim"} | {"hidden_size": 4 * 16}
LATENT = {name: x for name, x in SIZES.items() if name not in ("head_dim", "num_key_value_heads")}
LATENT |= modules.LATENT | {"qk_rope_head_dim": 16}
PLAIN = ("Llama", "Qwen3", "Gemma2", "Olmo2", "Glm", "Glm4", "Qwen3Next", "DiffLlama")
CLASSES = dict.fromkeys(PLAIN, SIZES) | {
    "Mistral": SIZES | {"sliding_window": modules.T},
    "Gemma3Text": SIZES | modules.TYPES,
    "Gemma3nText": SIZES | modules.TYPES | {"num_kv_shared_layers": 0},
    "Olmo3": SIZES | modules.TYPES,
    "Qwen2": SIZES | modules.TYPES,
    "Mixtral": SIZES | {"sliding_window": 3},
    "Phi": HALVED,
    "Llama4Text": SIZES | {"no_rope_layers": [1, 1]},
    "GptOss": SIZES | {"num_local_experts": 2},
    "DeepseekV3": LATENT,
}
PHI3 = HALVED | {"sliding_window": 3, "pad_token_id": 0}
SHORT = 4  # words, fewer than what is tried; what the rules that follow the length count as the training's
TRAINED = {"factor": 4.0, "original_max_position_embeddings": 10}
OWN = {
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "proportional": {"factor": 4.0},
    "llama3": TRAINED | {"low_freq_factor": 0.05, "high_freq_factor": 1.0},
    "yarn": TRAINED | {"beta_slow": 0.02, "beta_fast": 0.6, "mscale": 0.5, "mscale_all_dim": 0.9},
    "longrope": {"factor": 4.0, "short_factor": [1.0] * 8, "long_factor": [2.0] * 8}
    | {"original_max_position_embeddings": SHORT, "partial_rotary_factor": 1.0},
}
OFF = {  # of each key a value that is not its default, and none of those above
    "rope_theta": 77.0,
    "partial_rotary_factor": 0.5,
    "factor": 3.0,
    "original_max_position_embeddings": 25,
    "attention_factor": 0.6,
    "beta_fast": 0.2,
    "beta_slow": 0.2,
    "short_factor": [3.0] * 8,
    "long_factor": [3.0] * 8,
    "low_freq_factor": 0.3,
    "high_freq_factor": 2.0,
    "mscale": 1.7,
    "mscale_all_dim": 0.2,
    "truncate": False,
    "mrope_section": [2, 3, 3],
    "unheard_of": 0.5,
}
TYPES = ("default", *ROPE_INIT_FUNCTIONS)
READ = {kind: {"rope_theta", *OWN.get(kind, {})} for kind in TYPES}
del READ["proportional"]  # of no class that is read
READ["yarn"] |= {"attention_factor", "truncate"}
READ["longrope"] |= {"attention_factor"}
READ["longrope"] -= {"partial_rotary_factor"}


def built(name, kind, **more):
    """An attention with random weights, an input, and what it says; None where the library itself fails."""
    sizes = CLASSES.get(name, PHI3)
    torch.manual_seed(0)
    rope = {"rope_type": kind, "rope_theta": 30.0, **OWN.get(kind, {}), **more}
    pairs = int(8 * rope.get("partial_rotary_factor", 1))
    rope |= {key: rope[key][:pairs] for key in {"short_factor", "long_factor"} & rope.keys()}
    top = {"truncate": rope["truncate"]} if "truncate" in rope else {}  # the library reads it there
    if kind == "dynamic":
        sizes = sizes | {"max_position_embeddings": SHORT}
    if name == "Phi3":
        top = {key: rope[key] for key in {"original_max_position_embeddings"} & rope.keys()}
    nested = {one: dict(rope) for one in modules.TYPES["layer_types"]} | top
    rope = nested if name in ("Gemma3Text", "Gemma3nText", "Olmo3") else rope
    config = getattr(transformers, f"{name}Config")(**sizes, rope_parameters=rope)
    module = modules.fill(modules.part(config, "Attention")(config, 1))
    x = torch.randn(modules.B, modules.T, config.hidden_size)
    try:
        place = modules.positions(module)
        return module, x, modules.said(module, module, place, x, torch.ones(modules.B, modules.T).bool())
    except (RuntimeError, KeyError):
        return module, x, None


def test_no_key_is_left_out():
    assert {*RopeParameters.__annotations__, "unheard_of"} == {"rope_type", *OFF}


@FACE
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind"), [*itertools.product(CLASSES, TYPES), ("Phi3", "longrope")])
def test_a_key_is_read_or_refused(face, name, kind):
    """Read where the library and this course know it; else an error that names it, or the type."""
    wrong = []
    for key, value in OFF.items():
        module, x, expected = built(name, kind, **{key: value})
        try:
            layer = face.from_huggingface(module)
        except ValueError as error:
            if not (key in str(error) and key not in READ[kind] if kind in READ else "rope_type" in str(error)):
                wrong.append((key, str(error)))
            continue
        if key not in READ[kind] | {"partial_rotary_factor"}:
            wrong.append((key, "is not read, and not refused"))
        found = numbers(layer(tensor(face, x.numpy()), causal=True)[0])
        off = np.inf if expected is None else np.abs(found - expected.numpy()).max() / expected.abs().max()
        if not off < 1e-5:
            wrong.append((key, float(off)))
    assert not wrong


@pytest.mark.parametrize("kind", READ)
def test_a_key_that_is_read_matters(kind):
    for key in READ[kind]:
        more = {"original_max_position_embeddings": 25} if key == "short_factor" else {}
        _, _, one = built("Llama", kind, **more)
        _, _, other = built("Llama", kind, **more | {key: OFF[key]})
        assert (one - other).abs().max() / one.abs().max() > 1e-4, key


@FACE
@torch.no_grad()
@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_a_text_shorter_and_one_longer_than_the_training(face, kind):
    """At once by the length of each; with a cache as the library does it, whose keys stay as they turned."""
    module, x, _ = built("Llama", kind)
    layer = face.from_huggingface(module)

    def turn(steps):  # made anew, for the library's remembers the longest text
        return modules.positions(module)(x, torch.tensor([steps]))

    for size in (SHORT, modules.T):
        words, none = x[:, :size], torch.full((size, size), -torch.inf).triu(1)
        expected = module(words, attention_mask=none, position_embeddings=turn([*range(size)]))[0]
        close(layer(tensor(face, words.numpy()), causal=True)[0], expected, 1e-5)
    ours, theirs = layer.new_cache(modules.B, modules.T), transformers.DynamicCache()
    for n in range(modules.T):
        word = x[:, n : n + 1]
        found = layer(tensor(face, word.numpy()), causal=True, cache=ours)[0]
        said = module(word, attention_mask=None, position_embeddings=turn([n]), past_key_values=theirs)[0]
        close(found, said, 1e-5)
    assert (said[:, 0] - expected[:, -1]).abs().max() > 1e-3


def test_partly_turned_as_the_library_does():
    """Qwen3-Next reads the key; the other classes leave it out of account where nothing is lengthened."""
    for name in (*CLASSES, "Phi3"):  # whose configuration knows no other type but longrope
        module, x, expected = built(name, "default", partial_rotary_factor=0.5)
        found = pytorch.from_huggingface(module)(x, causal=True)[0]
        assert (found - expected).abs().max() / expected.abs().max() < 1e-5


def test_an_option_of_a_module_is_named():
    config = transformers.LlamaConfig(**SIZES, mlp_bias=True)
    with pytest.raises(ValueError, match="mlp_bias=False, got True"):
        pytorch.from_huggingface(modules.decoder(config)[0])


def test_what_ours_has_not_is_named():
    types = {"layer_types": ["full_attention"] * 2}
    sharing = transformers.Gemma3nTextConfig(**SIZES | types, num_kv_shared_layers=1)
    gemma_4 = transformers.Gemma4TextConfig(**SIZES | types)
    phi = transformers.PhiConfig(**HALVED, qk_layernorm=True)
    _, v4, *_ = next(modules.compressed())
    for rope in v4.config.rope_parameters.values():
        rope |= {"rope_type": "longrope", "short_factor": [1.0, 2.0], "long_factor": [1.0, 2.0]}
        rope["original_max_position_embeddings"] = 64
    for module, words in (
        (modules.alone(sharing, 1)[0], "its own keys and values, got a layer that takes those of an"),
        (modules.alone(gemma_4, 1)[0], "Gemma4TextAttention has other sizes, and another turn"),
        (modules.alone(phi, 1)[0], "qk_layernorm=False, got True"),
        (v4, "rope_type must follow no length, for words and entries have two"),
    ):
        with pytest.raises(ValueError, match=words):
            pytorch.from_huggingface(module)
