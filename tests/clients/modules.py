"""Layers of models of Hugging Face with random weights, and what they say; nothing is downloaded."""

from importlib import import_module

import torch
import transformers
from transformers.masking_utils import (
    create_bidirectional_mask,
    create_causal_mask,
    create_chunked_causal_mask,
    create_sliding_window_causal_mask,
)
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.gpt2.modeling_gpt2 import GPT2Block
from transformers.models.minimax_m3_vl import MiniMaxM3VLTextConfig

B, T, D, H, G, K, F, W = 2, 7, 12, 4, 2, 6, 11, 3
SIZES = {"hidden_size": D, "num_attention_heads": H, "num_key_value_heads": G, "head_dim": K, "intermediate_size": F}
SIZES |= {"num_hidden_layers": 2, "vocab_size": 5, "attn_implementation": "eager"}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3["original_max_position_embeddings"] = 16
YARN = {"rope_type": "yarn", "rope_theta": 100.0, "factor": 40.0, "beta_fast": 32.0, "beta_slow": 1.0}
YARN |= {"mscale": 1.0, "mscale_all_dim": 0.7, "original_max_position_embeddings": 64}
RELEASED = YARN | {"rope_theta": 10000.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096}
PARTLY = {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.7}  # two of three pairs turn
TYPES = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": W}
LATENT = {"q_lora_rank": 7, "kv_lora_rank": 5, "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "v_head_dim": 3}
LATENT |= {"num_key_value_heads": H, "first_k_dense_replace": 2}
INDEX = {"index_n_heads": 16, "index_head_dim": 6, "index_topk": 3}  # so many heads: no two scores are equal


def part(config, end):
    """The class of a configuration's library whose name ends so, such as its attention; None where it has none."""
    library = import_module(type(config).__module__.replace("configuration", "modeling"))
    name = type(config).__name__.removesuffix("Config")
    return getattr(library, name + end, None) or getattr(library, name.removesuffix("Text") + end, None)


def decoder(config, number=0):
    """A decoder layer, its attention, and how the model makes its rotary positions."""
    layer = part(config, "DecoderLayer")(config, number)
    return layer, layer.self_attn, positions(layer.self_attn)


def alone(config, number=0):
    """An attention without a layer around it."""
    module = part(config, "Attention")(config, number)
    return module, module, positions(module)


def kinds(name, make, config):
    """The layer with a window, and the one without."""
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"{name} {kind}", *make(config, number)


def positions(attention):
    """How its model makes rotary positions; None where it has none."""
    config = attention.config
    if (kind := part(config, "RotaryEmbedding")) is None:
        return None
    rope = kind(config)
    if kind.__name__.startswith("DeepseekV4"):
        return lambda x, p: {kind: rope(x, p, kind) for kind in ("main", "compress")}
    if kind.__name__.startswith(("Gemma3", "Olmo3")):
        return lambda x, p: rope(x, p, config.layer_types[attention.layer_idx])
    return rope


def latent(kind=transformers.DeepseekV3Config, **changes):
    sizes = {name: x for name, x in SIZES.items() if name not in ("head_dim", "num_key_value_heads")}
    return kind(**sizes, **LATENT | changes)


def rows():
    """(name, module, its attention, how rotary positions are made or None)."""
    layer = BertLayer(transformers.BertConfig(**{**SIZES, "layer_norm_eps": 1e-3}))
    yield "bert", layer, layer.attention.self, None
    gpt2 = transformers.GPT2Config(n_embd=D, n_head=H, n_inner=F, vocab_size=5, attn_implementation="eager")
    block = GPT2Block(gpt2, layer_idx=0)
    yield "gpt2", block, block.attn, None
    for name, rope in (("llama", None), ("llama3", LLAMA3)):
        config = transformers.LlamaConfig(**SIZES, attention_bias=rope is not None, rope_parameters=rope)
        yield name, *decoder(config)
    yield "mistral", *decoder(transformers.MistralConfig(**SIZES, sliding_window=W))
    yield "qwen3", *decoder(transformers.Qwen3Config(**SIZES))
    config = transformers.Gemma3TextConfig(**SIZES, **TYPES, query_pre_attn_scalar=29)
    yield from kinds("gemma3", alone, config)
    yield "gemma3 layer", *decoder(config)
    yield from kinds("gpt-oss", alone, transformers.GptOssConfig(**SIZES, **TYPES, num_local_experts=2))
    yield "deepseek-v3", *decoder(latent())
    yield "deepseek-v3 without a query latent", *decoder(latent(q_lora_rank=None))
    yield "deepseek-v3 yarn", *decoder(latent(rope_parameters=YARN))
    yield "deepseek-v3 as released", *decoder(latent(rope_parameters=RELEASED))
    caps = {"query_pre_attn_scalar": 29, "attn_logit_softcapping": 1.5}
    yield from kinds("gemma2", decoder, transformers.Gemma2Config(**SIZES, **TYPES, **caps))
    yield "olmo2", *alone(transformers.Olmo2Config(**SIZES))
    config = transformers.Qwen3NextConfig(**SIZES, attention_bias=True)  # two of three pairs turn
    config.rope_parameters["partial_rotary_factor"] = 0.7
    yield "qwen3-next", *alone(config, 1)
    own = {"attention_chunk_size": W, "no_rope_layers": [1, 0], "floor_scale": 2, "attn_scale": 0.3}
    config = transformers.Llama4TextConfig(**SIZES, **own, attn_temperature_tuning=True)
    for number, name in enumerate(("llama4 chunks", "llama4 nope")):
        yield name, *alone(config, number)
    sizes = {**SIZES, "num_attention_heads": 2 * H, "num_key_value_heads": 2 * G}
    yield "diffllama", *decoder(transformers.DiffLlamaConfig(**sizes, attention_bias=True), 1)
    for name, turn in (("deepseek-v3.2", None), ("deepseek-v3.2 yarn", YARN)):
        yield name, *decoder(latent(transformers.DeepseekV32Config, **INDEX, rope_parameters=turn))
    yield from compressed()
    sizes = {**SIZES, "layer_types": ["minimax_m3_sparse", "full_attention"], "mlp_layer_types": ["dense"] * 2}
    sizes |= {"index_n_heads": G, "index_head_dim": K, "index_block_size": 2, "index_topk_blocks": 2}
    config = MiniMaxM3VLTextConfig(**sizes, rope_parameters=PARTLY)
    for number, name in enumerate(("minimax-m3", "minimax-m3 dense")):
        yield name, *alone(config, number)
    yield from more()


def more():
    """Families whose layers have a window, turn some columns, or know no width of a head but their share."""
    share = {name: x for name, x in SIZES.items() if name != "head_dim"}
    share |= {"num_attention_heads": D // K, "num_key_value_heads": 1, "pad_token_id": 0}
    yield from kinds("olmo3", alone, transformers.Olmo3Config(**SIZES, **TYPES))
    yield from kinds("qwen2", decoder, transformers.Qwen2Config(**share, **TYPES, use_sliding_window=True))
    yield "mixtral", *alone(transformers.MixtralConfig(**SIZES, sliding_window=W))
    for kind in (transformers.GlmConfig, transformers.Glm4Config):
        yield kind.model_type, *alone(kind(**SIZES, attention_bias=True, rope_parameters=PARTLY))
    yield "phi", *alone(transformers.PhiConfig(**share, rope_parameters=PARTLY))
    yield "phi3", *alone(transformers.Phi3Config(**share, sliding_window=W, rope_parameters=PARTLY))
    yield from kinds("gemma3n", alone, transformers.Gemma3nTextConfig(**SIZES, **TYPES, num_kv_shared_layers=0))


def compressed():
    """DeepSeek-V4: a window, all entries, chosen entries; of a head's six columns the last four turn."""
    kinds = {"window": "sliding", "hca": "heavily_compressed", "csa": "compressed_sparse"}
    kinds = {name: f"{kind}_attention" for name, kind in kinds.items()}
    sizes = {name: x for name, x in SIZES.items() if name not in ("num_key_value_heads", "num_hidden_layers")}
    sizes |= {"q_lora_rank": 7, "sliding_window": W, "compress_rates": {"compressed_sparse_attention": 2}}
    sizes["compress_rates"]["heavily_compressed_attention"] = 3
    sizes |= {"o_groups": 2, "o_lora_rank": 3, "index_n_heads": 16, "index_head_dim": 8, "index_topk": 2}
    sizes |= {"layer_types": [*kinds.values()], "mlp_layer_types": ["moe"] * 3, "partial_rotary_factor": 0.7}
    config = transformers.DeepseekV4Config(**sizes, num_hidden_layers=3, rope_parameters={**YARN})
    for number, name in enumerate(kinds):
        yield f"deepseek-v4 {name}", *alone(config, number)


@torch.no_grad()
def fill(module):
    """Random weights; the scales of norms around 1, but where the library adds the 1 itself."""
    for name, x in module.named_parameters():
        torch.nn.init.normal_(x, std=0.3)
        scale = x.ndim == 1 and "norm" in name.lower() and name.endswith("weight")
        less_one = type(module).__name__.startswith(("Gemma", "Qwen3Next", "MiniMaxM3"))
        if scale and not (less_one and type(module).__name__ != "Gemma3nTextAttention"):
            x += 1
    return module.eval()


def mask_of(attention, x, real):
    """The library's own, from which positions are not padding: all, causal, of a window, of chunks."""
    make, config = create_causal_mask, attention.config
    if type(attention).__name__ == "BertSelfAttention":
        make = create_bidirectional_mask
    elif getattr(attention, "use_rope", False):  # Llama 4
        make = create_chunked_causal_mask
    elif getattr(attention, "sliding_window", getattr(config, "sliding_window", None)):
        make = create_sliding_window_causal_mask
    return make(config=config, inputs_embeds=x, attention_mask=real.long(), past_key_values=None)


@torch.no_grad()
def said(module, attention, rope, x, real):
    """What the module says of x (B, T, D)."""
    place = {} if rope is None else {"position_embeddings": rope(x, torch.arange(x.shape[1])[None])}
    if type(module).__name__ == "DeepseekV4Attention":
        place["position_ids"] = torch.arange(x.shape[1])[None]
    output = module(x, attention_mask=mask_of(attention, x, real), **place)
    return output[0] if isinstance(output, tuple) else output


def lengths(name):
    """How many positions of each text are not padding; where the module is not causal it has some."""
    return torch.tensor([[T], [4 if name == "bert" else T]])


def golden(name, module, attention, rope):
    """The module with its weights, an input, and what it says."""
    fill(module)
    x = torch.randn(B, T, D)
    return module, x, said(module, attention, rope, x, torch.arange(T) < lengths(name))
