"""Every key of ``rope_parameters`` in every class that ``from_huggingface`` takes: the module's numbers, or refused."""

import modules
import numpy as np
import pytest
import transformers
from modules import deepseek, diff, gemma, gemma2, llama, llama4, mistral, olmo, oss, qwen, qwen_next
from support import FACE, numbers, tensor
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS, RopeParameters
from transformers.models.gemma3n import modeling_gemma3n
from transformers.models.glm import modeling_glm
from transformers.models.glm4 import modeling_glm4
from transformers.models.mixtral import modeling_mixtral
from transformers.models.olmo3 import modeling_olmo3
from transformers.models.phi import modeling_phi
from transformers.models.phi3 import modeling_phi3
from transformers.models.qwen2 import modeling_qwen2

from attn_course import pytorch
from attn_course.frameworks import torch

SIZES = modules.SIZES | {"head_dim": 16, "max_position_embeddings": 40}
HALVED = {name: x for name, x in SIZES.items() if name != "head_dim"} | {"hidden_size": 4 * 16}
LATENT = {name: x for name, x in SIZES.items() if name not in ("head_dim", "num_key_value_heads")}
LATENT |= modules.LATENT | {"qk_rope_head_dim": 16}
CLASSES = {
    "Llama": (llama, transformers.LlamaConfig, SIZES),
    "Mistral": (mistral, transformers.MistralConfig, SIZES | {"sliding_window": modules.T}),
    "Qwen3": (qwen, transformers.Qwen3Config, SIZES),
    "Gemma2": (gemma2, transformers.Gemma2Config, SIZES),
    "Gemma3": (gemma, transformers.Gemma3TextConfig, SIZES | modules.TYPES),
    "Olmo2": (olmo, transformers.Olmo2Config, SIZES),
    "Olmo3": (modeling_olmo3, transformers.Olmo3Config, SIZES | modules.TYPES),
    "Qwen2": (modeling_qwen2, transformers.Qwen2Config, SIZES),
    "Mixtral": (modeling_mixtral, transformers.MixtralConfig, SIZES | {"sliding_window": 3}),
    "Glm": (modeling_glm, transformers.GlmConfig, SIZES),
    "Glm4": (modeling_glm4, transformers.Glm4Config, SIZES),
    "Phi": (modeling_phi, transformers.PhiConfig, HALVED),
    "Qwen3Next": (qwen_next, transformers.Qwen3NextConfig, SIZES),
    "Llama4Text": (llama4, transformers.Llama4TextConfig, SIZES | {"no_rope_layers": [1, 1]}),
    "DiffLlama": (diff, transformers.DiffLlamaConfig, SIZES),
    "GptOss": (oss, transformers.GptOssConfig, SIZES | {"num_local_experts": 2}),
    "DeepseekV3": (deepseek, transformers.DeepseekV3Config, LATENT),
}
PHI3 = modeling_phi3, transformers.Phi3Config, HALVED | {"sliding_window": 3, "pad_token_id": 0}
TRAINED = {"factor": 4.0, "original_max_position_embeddings": 10}
OWN = {
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "proportional": {"factor": 4.0},
    "llama3": TRAINED | {"low_freq_factor": 0.05, "high_freq_factor": 1.0},
    "yarn": TRAINED | {"beta_slow": 0.02, "beta_fast": 0.6, "mscale": 0.5, "mscale_all_dim": 0.9},
    "longrope": TRAINED | {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8},
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
READ = {kind: {"rope_theta", *OWN.get(kind, {})} for kind in ("default", "linear", "llama3", "yarn")}
READ["yarn"] |= {"attention_factor", "truncate"}


def built(name, kind, **more):
    """An attention with random weights, an input, and what it says; None where the library itself fails."""
    library, config, sizes = CLASSES.get(name, PHI3)
    torch.manual_seed(0)
    rope = {"rope_type": kind, "rope_theta": 30.0, **OWN.get(kind, {}), **more}
    top = {"truncate": rope["truncate"]} if "truncate" in rope else {}  # the library reads it there
    nested = {one: dict(rope) for one in modules.TYPES["layer_types"]} | top
    config = config(**sizes, rope_parameters=nested if name in ("Gemma3", "Olmo3") else rope)
    module = modules.fill(getattr(library, f"{name}Attention")(config, 1))
    x = torch.randn(modules.B, modules.T, config.hidden_size)
    try:
        turn = getattr(library, f"{name}RotaryEmbedding")(config)
        place = (lambda x, p: turn(x, p, "full_attention")) if name in ("Gemma3", "Olmo3") else turn
        return module, x, modules.said(module, module, place, x, torch.ones(modules.B, modules.T).bool())
    except (RuntimeError, KeyError):
        return module, x, None


def test_no_key_is_left_out():
    assert {*RopeParameters.__annotations__, "unheard_of"} == {"rope_type", *OFF}


@FACE
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", CLASSES)
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
        _, _, one = built("Llama", kind)
        _, _, other = built("Llama", kind, **{key: OFF[key]})
        assert (one - other).abs().max() / one.abs().max() > 1e-4, key


def test_partly_turned_as_the_library_does():
    """Qwen3-Next reads the key; the other classes leave it out of account where nothing is lengthened."""
    for name in (*CLASSES, "Phi3"):  # whose configuration knows no other type but longrope
        module, x, expected = built(name, "default", partial_rotary_factor=0.5)
        found = pytorch.from_huggingface(module)(x, causal=True)[0]
        assert (found - expected).abs().max() / expected.abs().max() < 1e-5


def test_an_option_of_a_module_is_named():
    config = transformers.LlamaConfig(**SIZES, mlp_bias=True)
    with pytest.raises(ValueError, match="mlp_bias=False, got True"):
        pytorch.from_huggingface(llama.LlamaDecoderLayer(config, 0))


def test_what_ours_has_not_is_named():
    config = transformers.Gemma3nTextConfig(**SIZES | modules.TYPES, num_kv_shared_layers=0)
    phi = transformers.PhiConfig(**HALVED, qk_layernorm=True)
    for module, words in (
        (modeling_gemma3n.Gemma3nTextAttention(config, 1), "Gemma3nTextAttention norms its values"),
        (modeling_phi.PhiAttention(phi, 1), "qk_layernorm=False, got True"),
        *((built("Llama", kind)[0], f"'{kind}' turns by a text's length") for kind in ("dynamic", "longrope")),
    ):
        with pytest.raises(ValueError, match=words):
            pytorch.from_huggingface(module)
