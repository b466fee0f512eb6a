"""Makes ``gated.npz``: what attention of Qwen3, Qwen3-Next, gpt-oss and Gemma 2 in Hugging Face says.

The weights are random. Not a test, and not run by them: the library is not installed where the tests run. To repeat
it, in an environment of its own: ``pip install torch numpy transformers==5.23.0``, then run this file. All is causal,
in float64, but for the library's own softmax and norm, which are float32 in most of these modules.
"""

from pathlib import Path

import numpy as np
import torch
from transformers.models.gemma2 import modeling_gemma2 as gemma2
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss
from transformers.models.qwen3 import modeling_qwen3 as qwen3
from transformers.models.qwen3_next import modeling_qwen3_next as qwen3_next

B, T, D, H, G, K, W = 2, 7, 30, 6, 2, 8, 3
SIZES = {"hidden_size": D, "num_attention_heads": H, "num_key_value_heads": G, "head_dim": K, "num_hidden_layers": 2}
SIZES |= {"attention_dropout": 0.0, "attn_implementation": "eager"}
SCALAR = 13  # of Gemma 2: its scale is SCALAR ** -0.5


def waves(width):
    """Cosine and sine (1, T, width) as the library keeps them, in float64."""
    angle = np.arange(T)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    angle = torch.from_numpy(np.concatenate([angle, angle], -1))[None]
    return angle.cos(), angle.sin()


@torch.no_grad()
def answers(name, module, width=K, window=T):
    module = module.double().eval()
    for seed, weight in enumerate(module.parameters()):
        weight.data = 0.5 * torch.from_numpy(np.random.default_rng(seed).normal(size=tuple(weight.shape)))
    x = torch.from_numpy(np.random.default_rng(100).normal(size=(B, T, D)))
    cosine, sine = waves(width)
    if name.startswith("gpt_oss"):  # keeps each angle once
        cosine, sine = cosine[..., : width // 2], sine[..., : width // 2]
    i, j = torch.arange(T)[:, None], torch.arange(T)
    mask = torch.where((j <= i) & (j > i - window), 0.0, -torch.inf).double()[None, None]
    output = module(x, position_embeddings=(cosine, sine), attention_mask=mask)[0]
    arrays = module.state_dict() | {"x": x, "output": output}
    return {f"{name}/{key}": array.numpy() for key, array in arrays.items()}


def main():
    full = {"layer_types": ["full_attention"] * 2}
    goldens = answers("qwen3", qwen3.Qwen3Attention(qwen3.Qwen3Config(**SIZES), 0))
    module = qwen3_next.Qwen3NextAttention(qwen3_next.Qwen3NextConfig(**SIZES), 0)
    goldens |= answers("qwen3_next", module, width=K // 2)
    config = gpt_oss.GptOssConfig(**SIZES, **full, attention_bias=True)
    goldens |= answers("gpt_oss", gpt_oss.GptOssAttention(config, 0))
    goldens |= answers("gpt_oss_window", gpt_oss.GptOssAttention(config, 0), window=W)
    config = gemma2.Gemma2Config(**SIZES, attn_logit_softcapping=2.0, query_pre_attn_scalar=SCALAR)
    goldens |= answers("gemma2", gemma2.Gemma2Attention(config, 0))
    path = Path(__file__).with_name("gated.npz")
    np.savez_compressed(path, **goldens)
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
