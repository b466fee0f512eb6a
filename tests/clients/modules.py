"""Layers of models of Hugging Face with random weights, and what they say; nothing is downloaded."""

import sys

import torch
import transformers
from transformers.masking_utils import (
    create_bidirectional_mask,
    create_causal_mask,
    create_chunked_causal_mask,
    create_sliding_window_causal_mask,
)
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as deepseek_v4
from transformers.models.deepseek_v32 import modeling_deepseek_v32 as deepseek_v32
from transformers.models.diffllama import modeling_diffllama as diff
from transformers.models.gemma2 import modeling_gemma2 as gemma2
from transformers.models.gemma3 import modeling_gemma3 as gemma
from transformers.models.gemma3n import modeling_gemma3n as gemma3n
from transformers.models.glm import modeling_glm as glm
from transformers.models.glm4 import modeling_glm4 as glm4
from transformers.models.gpt2.modeling_gpt2 import GPT2Block
from transformers.models.gpt_oss import modeling_gpt_oss as oss
from transformers.models.llama import modeling_llama as llama
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.minimax_m3_vl import MiniMaxM3VLTextConfig, modeling_minimax_m3_vl as minimax
from transformers.models.mistral import modeling_mistral as mistral
from transformers.models.mixtral import modeling_mixtral as mixtral
from transformers.models.olmo2 import modeling_olmo2 as olmo
from transformers.models.olmo3 import modeling_olmo3 as olmo3
from transformers.models.phi import modeling_phi as phi
from transformers.models.phi3 import modeling_phi3 as phi3
from transformers.models.qwen2 import modeling_qwen2 as qwen2
from transformers.models.qwen3 import modeling_qwen3 as qwen
from transformers.models.qwen3_next import modeling_qwen3_next as qwen_next

B, T, D, H, G, K, F, W = 2, 7, 12, 4, 2, 6, 11, 3
SIZES = {"hidden_size": D, "num_attention_heads": H, "num_key_value_heads": G, "head_dim": K, "intermediate_size": F}
SIZES |= {"num_hidden_layers": 2, "vocab_size": 5, "attn_implementation": "eager"}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3["original_max_position_embeddings"] = 16
YARN = {"rope_type": "yarn", "rope_theta": 100.0, "factor": 40.0, "beta_fast": 32.0, "beta_slow": 1.0}
YARN |= {"mscale": 1.0, "mscale_all_dim": 0.7, "original_max_position_embeddings": 64}
RELEASED = YARN | {"rope_theta": 10000.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096}
TYPES = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": W}
LATENT = {"q_lora_rank": 7, "kv_lora_rank": 5, "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "v_head_dim": 3}
LATENT |= {"num_key_value_heads": H, "first_k_dense_replace": 2}
INDEX = {"index_n_heads": 16, "index_head_dim": 6, "index_topk": 3}  # so many heads: no two scores are equal


def decoder(library, name, config, number=0):
    """A decoder layer, its attention, and how the model makes its rotary positions."""
    layer = getattr(library, f"{name}DecoderLayer")(config, number)
    return layer, layer.self_attn, positions(layer.self_attn)


def alone(library, name, config, number):
    """An attention without a layer around it."""
    module = getattr(library, f"{name}Attention")(config, number)
    return module, module, positions(module)


def positions(attention):
    """How its model makes rotary positions; None where it has none."""
    name = type(attention).__name__.removesuffix("Attention").replace("Gemma3nText", "Gemma3n")
    rope = getattr(sys.modules[type(attention).__module__], f"{name}RotaryEmbedding", None)
    if rope is None:
        return None
    rope = rope(attention.config)
    if name == "DeepseekV4":
        return lambda x, p: {kind: rope(x, p, kind) for kind in ("main", "compress")}
    if name in ("Gemma3", "Gemma3n", "Olmo3"):
        return lambda x, p: rope(x, p, attention.config.layer_types[attention.layer_idx])
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
        yield name, *decoder(llama, "Llama", config)
    yield "mistral", *decoder(mistral, "Mistral", transformers.MistralConfig(**SIZES, sliding_window=W))
    yield "qwen3", *decoder(qwen, "Qwen3", transformers.Qwen3Config(**SIZES))
    config = transformers.Gemma3TextConfig(**SIZES, **TYPES, query_pre_attn_scalar=29)
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"gemma3 {kind}", *alone(gemma, "Gemma3", config, number)
    yield "gemma3 layer", *decoder(gemma, "Gemma3", config)
    config = transformers.GptOssConfig(**SIZES, **TYPES, num_local_experts=2)
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"gpt-oss {kind}", *alone(oss, "GptOss", config, number)
    yield "deepseek-v3", *decoder(deepseek, "DeepseekV3", latent())
    yield "deepseek-v3 without a query latent", *decoder(deepseek, "DeepseekV3", latent(q_lora_rank=None))
    yield "deepseek-v3 yarn", *decoder(deepseek, "DeepseekV3", latent(rope_parameters=YARN))
    yield "deepseek-v3 as released", *decoder(deepseek, "DeepseekV3", latent(rope_parameters=RELEASED))
    caps = {"query_pre_attn_scalar": 29, "attn_logit_softcapping": 1.5}
    config = transformers.Gemma2Config(**SIZES, **TYPES, **caps)
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"gemma2 {kind}", *decoder(gemma2, "Gemma2", config, number)
    yield "olmo2", *alone(olmo, "Olmo2", transformers.Olmo2Config(**SIZES), 0)
    config = transformers.Qwen3NextConfig(**SIZES, attention_bias=True)  # two of three pairs turn
    config.rope_parameters["partial_rotary_factor"] = 0.7
    yield "qwen3-next", *alone(qwen_next, "Qwen3Next", config, 1)
    own = {"attention_chunk_size": W, "no_rope_layers": [1, 0], "floor_scale": 2, "attn_scale": 0.3}
    config = transformers.Llama4TextConfig(**SIZES, **own, attn_temperature_tuning=True)
    for number, name in enumerate(("llama4 chunks", "llama4 nope")):
        yield name, *alone(llama4, "Llama4Text", config, number)
    sizes = {**SIZES, "num_attention_heads": 2 * H, "num_key_value_heads": 2 * G}
    config = transformers.DiffLlamaConfig(**sizes, attention_bias=True)
    yield "diffllama", *decoder(diff, "DiffLlama", config, 1)
    for name, turn in (("deepseek-v3.2", None), ("deepseek-v3.2 yarn", YARN)):
        config = latent(transformers.DeepseekV32Config, **INDEX, rope_parameters=turn)
        yield name, *decoder(deepseek_v32, "DeepseekV32", config)
    yield from compressed()
    sizes = {**SIZES, "layer_types": ["minimax_m3_sparse", "full_attention"], "mlp_layer_types": ["dense"] * 2}
    sizes |= {"index_n_heads": G, "index_head_dim": K, "index_block_size": 2, "index_topk_blocks": 2}
    turn = {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.7}  # two of three pairs turn
    config = MiniMaxM3VLTextConfig(**sizes, rope_parameters=turn)
    for number, name in enumerate(("minimax-m3", "minimax-m3 dense")):
        yield name, *alone(minimax, "MiniMaxM3VL", config, number)
    yield from more()


def more():
    """Families whose layers have a window, turn some columns, or know no width of a head but their share."""
    partly = {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.7}  # two of three pairs turn
    share = {name: x for name, x in SIZES.items() if name != "head_dim"}
    share |= {"num_attention_heads": D // K, "num_key_value_heads": 1, "pad_token_id": 0}
    config = transformers.Olmo3Config(**SIZES, **TYPES)
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"olmo3 {kind}", *alone(olmo3, "Olmo3", config, number)
    config = transformers.Qwen2Config(**share, **TYPES, use_sliding_window=True)
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"qwen2 {kind}", *decoder(qwen2, "Qwen2", config, number)
    yield "mixtral", *alone(mixtral, "Mixtral", transformers.MixtralConfig(**SIZES, sliding_window=W), 0)
    for library, name in ((glm, "Glm"), (glm4, "Glm4")):
        config = getattr(transformers, f"{name}Config")(**SIZES, attention_bias=True, rope_parameters=partly)
        yield name.lower(), *alone(library, name, config, 0)
    yield "phi", *alone(phi, "Phi", transformers.PhiConfig(**share, rope_parameters=partly), 0)
    config = transformers.Phi3Config(**share, sliding_window=W, rope_parameters=partly)
    yield "phi3", *alone(phi3, "Phi3", config, 0)
    config = transformers.Gemma3nTextConfig(**SIZES, **TYPES, num_kv_shared_layers=0)
    for number, kind in enumerate(TYPES["layer_types"]):
        yield f"gemma3n {kind}", *alone(gemma3n, "Gemma3nText", config, number)


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
        yield f"deepseek-v4 {name}", *alone(deepseek_v4, "DeepseekV4", config, number)


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
