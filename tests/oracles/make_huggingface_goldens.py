"""Makes ``huggingface.npz``: layers of thirteen models with random weights, an input, and what they give for it.

Not a test, and not run by them: ``transformers`` is not installed where the tests run. To repeat it, in an environment
of its own: ``pip install torch numpy transformers==5.23.0``, then run this file. Nothing is downloaded.
"""

import json
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers.masking_utils import create_chunked_causal_mask
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek
from transformers.models.diffllama import modeling_diffllama as diff
from transformers.models.gemma2 import modeling_gemma2 as gemma2
from transformers.models.gemma3 import modeling_gemma3 as gemma
from transformers.models.gpt2.modeling_gpt2 import GPT2Block
from transformers.models.gpt_oss import modeling_gpt_oss as oss
from transformers.models.llama import modeling_llama as llama
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.mistral import modeling_mistral as mistral
from transformers.models.olmo2 import modeling_olmo2 as olmo
from transformers.models.qwen3 import modeling_qwen3 as qwen
from transformers.models.qwen3_next import modeling_qwen3_next as qwen_next

B, T, D, H, G, K, F, W = 2, 7, 12, 4, 2, 6, 11, 3
SIZES = {
    "hidden_size": D,
    "num_attention_heads": H,
    "num_key_value_heads": G,
    "head_dim": K,
    "intermediate_size": F,
    "num_hidden_layers": 2,
    "vocab_size": 5,
    "attn_implementation": "eager",
}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3["original_max_position_embeddings"] = 16
YARN = {"rope_type": "yarn", "rope_theta": 100.0, "factor": 40.0, "beta_fast": 32.0, "beta_slow": 1.0}
YARN |= {"mscale": 1.0, "mscale_all_dim": 0.7, "original_max_position_embeddings": 64}
TYPES = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": W}
LATENT = {"q_lora_rank": 7, "kv_lora_rank": 5, "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "v_head_dim": 3}
KEPT = [
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "intermediate_size",
    "hidden_act",
    "hidden_activation",
    "activation_function",
    "rms_norm_eps",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "rope_parameters",
    "sliding_window",
    "rope_interleave",
    "use_qk_norm",
]
OWN = [
    "head_dim",
    "scaling",
    "sliding_window",
    "attn_logit_softcapping",
    "layer_type",
    "num_heads",
    "kv_lora_rank",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "v_head_dim",
    "q_lora_rank",
    "use_rope",
    "attn_temperature_tuning",
    "attn_scale",
    "floor_scale",
    "lambda_init",
]


def rows():
    """(name, module, its attention, its window, how rotary positions are made or None)."""
    bert = transformers.BertConfig(**{**SIZES, "layer_norm_eps": 1e-3})
    layer = BertLayer(bert)
    yield "bert", layer, layer.attention.self, None, None
    gpt2 = transformers.GPT2Config(n_embd=D, n_head=H, n_inner=F, vocab_size=5, attn_implementation="eager")
    block = GPT2Block(gpt2, layer_idx=0)
    yield "gpt2", block, block.attn, None, None
    for name, rope in (("llama", None), ("llama3", LLAMA3)):
        config = transformers.LlamaConfig(**SIZES, attention_bias=rope is not None, rope_parameters=rope)
        layer = llama.LlamaDecoderLayer(config, 0)
        yield name, layer, layer.self_attn, None, llama.LlamaRotaryEmbedding(config)
    config = transformers.MistralConfig(**SIZES, sliding_window=W)
    layer = mistral.MistralDecoderLayer(config, 0)
    yield "mistral", layer, layer.self_attn, W, mistral.MistralRotaryEmbedding(config)
    config = transformers.Qwen3Config(**SIZES)
    layer = qwen.Qwen3DecoderLayer(config, 0)
    yield "qwen3", layer, layer.self_attn, None, qwen.Qwen3RotaryEmbedding(config)
    config = transformers.Gemma3TextConfig(**SIZES, **TYPES, query_pre_attn_scalar=29)
    rope = gemma.Gemma3RotaryEmbedding(config)
    for number, kind in enumerate(TYPES["layer_types"]):
        module = gemma.Gemma3Attention(config, number)
        yield f"gemma3 {kind}", module, module, module.sliding_window, lambda x, p, kind=kind: rope(x, p, kind)
    config = transformers.GptOssConfig(**SIZES, **TYPES, num_local_experts=2)
    for number, kind in enumerate(TYPES["layer_types"]):
        module = oss.GptOssAttention(config, number)
        yield f"gpt-oss {kind}", module, module, module.sliding_window, oss.GptOssRotaryEmbedding(config)
    sizes = {name: x for name, x in SIZES.items() if name not in ("head_dim", "num_key_value_heads")}
    config = transformers.DeepseekV3Config(**sizes, **LATENT, num_key_value_heads=H, first_k_dense_replace=2)
    layer = deepseek.DeepseekV3DecoderLayer(config, 0)
    yield "deepseek-v3", layer, layer.self_attn, None, deepseek.DeepseekV3RotaryEmbedding(config)
    sizes["rope_parameters"] = YARN
    config = transformers.DeepseekV3Config(**sizes, **LATENT, num_key_value_heads=H, first_k_dense_replace=2)
    layer = deepseek.DeepseekV3DecoderLayer(config, 0)
    yield "deepseek-v3 yarn", layer, layer.self_attn, None, deepseek.DeepseekV3RotaryEmbedding(config)
    caps = {"query_pre_attn_scalar": 29, "attn_logit_softcapping": 1.5}
    config = transformers.Gemma2Config(**SIZES, **TYPES, **caps)
    rope2 = gemma2.Gemma2RotaryEmbedding(config)
    for number, kind in enumerate(TYPES["layer_types"]):
        layer = gemma2.Gemma2DecoderLayer(config, number)
        yield f"gemma2 {kind}", layer, layer.self_attn, layer.self_attn.sliding_window, rope2
    config = transformers.Gemma3TextConfig(**SIZES, **TYPES, query_pre_attn_scalar=29)
    layer = gemma.Gemma3DecoderLayer(config, 0)
    yield "gemma3 layer", layer, layer.self_attn, W, lambda x, p: rope(x, p, "sliding_attention")
    config = transformers.Olmo2Config(**SIZES)
    module = olmo.Olmo2Attention(config, 0)
    yield "olmo2", module, module, None, olmo.Olmo2RotaryEmbedding(config)
    config = transformers.Qwen3NextConfig(**SIZES, attention_bias=True)  # two of three pairs turn
    config.rope_parameters["partial_rotary_factor"] = 0.7
    module = qwen_next.Qwen3NextAttention(config, 1)
    yield "qwen3-next", module, module, None, qwen_next.Qwen3NextRotaryEmbedding(config)
    own = {"attention_chunk_size": W, "no_rope_layers": [1, 0], "floor_scale": 2, "attn_scale": 0.3}
    config = transformers.Llama4TextConfig(**SIZES, **own, attn_temperature_tuning=True)
    rope4 = llama4.Llama4TextRotaryEmbedding(config)
    for number, name in enumerate(("llama4 chunks", "llama4 nope")):
        module = llama4.Llama4TextAttention(config, number)
        yield name, module, module, None, rope4
    sizes = {**SIZES, "num_attention_heads": 2 * H, "num_key_value_heads": 2 * G}
    config = transformers.DiffLlamaConfig(**sizes, attention_bias=True)
    layer = diff.DiffLlamaDecoderLayer(config, 1)
    yield "diffllama", layer, layer.self_attn, None, diff.DiffLlamaRotaryEmbedding(config)


def golden(module, attention, window, rope):
    """What stands in the file of one row, and an account of the module."""
    with torch.no_grad():
        for name, x in module.named_parameters():
            torch.nn.init.normal_(x, std=0.3)
            if (
                x.ndim == 1
                and "norm" in name.lower()
                and name.endswith("weight")
                and not type(module).__name__.startswith(("Gemma", "Qwen3Next"))
            ):
                x += 1
    x = torch.randn(B, T, D)
    query, key = torch.arange(T)[:, None], torch.arange(T)
    if rope is None and type(module).__name__ == "BertLayer":
        allowed = (key < torch.tensor([T, 4])[:, None])[:, None, None].expand(B, 1, T, T)
    else:
        allowed = (key <= query) & (query - key < (window or T))
        allowed = allowed.expand(B, 1, T, T)
    if getattr(attention, "use_rope", False):  # Llama 4: chunks, by the library's own mask
        whole = torch.ones(B, T, dtype=torch.long)
        own = create_chunked_causal_mask(attention.config, x, whole, past_key_values=None)
        allowed = (own == 0).expand(B, 1, T, T)
        assert not allowed[0, 0, W, W - 1] and allowed[0, 0, W - 1, 0]
    mask = torch.zeros(B, 1, T, T).masked_fill(~allowed, torch.finfo(torch.float32).min)
    options = {"attention_mask": mask}
    if rope is not None:
        options["position_embeddings"] = rope(x, torch.arange(T)[None])
    with torch.no_grad():
        output = module.eval()(x, **options)
    output = output[0] if isinstance(output, tuple) else output
    config = {name: getattr(attention.config, name) for name in KEPT if hasattr(attention.config, name)}
    own = {name: getattr(attention, name) for name in OWN if hasattr(attention, name)}
    about = {"kind": type(module).__name__, "attention": type(attention).__name__, "config": config, "own": own}
    arrays = {f"state/{name}": x.numpy() for name, x in module.state_dict().items()}
    return arrays | {"x": x.numpy(), "output": output.numpy()}, about


def main():
    torch.manual_seed(0)
    stored, accounts = {}, {}
    for name, *row in rows():
        arrays, accounts[name] = golden(*row)
        stored |= {f"{name}/{key}": x.astype(np.float32) for key, x in arrays.items()}
    stored["about"] = np.array(json.dumps({"transformers": transformers.__version__, "rows": accounts}))
    path = Path(__file__).with_name("huggingface.npz")
    np.savez_compressed(path, **stored)
    print(f"{path.name}: {path.stat().st_size} bytes, {', '.join(accounts)}")


if __name__ == "__main__":
    main()
