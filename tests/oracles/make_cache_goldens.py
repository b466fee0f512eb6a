"""Makes ``cache.npz``: what Hugging Face's attention of Llama, Qwen3 and DeepSeek-V3 says with random weights.

DeepSeek-V3 also with YaRN, as it was released.

Not a test, and not run by them: the library is not installed where the tests run. To repeat it, in an environment of
its own: ``pip install torch numpy transformers==5.23.0``, then run this file. Every module is asked once for the whole
sequence, with padding on the left, and once in a prompt and single steps through the library's own cache.
"""

from pathlib import Path

import numpy as np
import torch
from transformers import DeepseekV3Config, LlamaConfig, Qwen3Config
from transformers.cache_utils import DynamicCache
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek
from transformers.models.llama import modeling_llama as llama
from transformers.models.qwen3 import modeling_qwen3 as qwen

B, S, D, H, G, K = 2, 7, 18, 6, 2, 4
PROMPT = 4
PADDED = np.array([2, 0])
SHARED = {"hidden_size": D, "num_attention_heads": H, "attn_implementation": "sdpa", "num_hidden_layers": 1}
GROUPED = SHARED | {"num_key_value_heads": G, "head_dim": K, "attention_bias": False}
LATENT = SHARED | {
    "num_key_value_heads": H,
    "kv_lora_rank": 11,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 5,
    "v_head_dim": 3,
    "attention_bias": False,
}

# As DeepSeek-V3 was released.
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "original_max_position_embeddings": 4096}
YARN |= {"beta_fast": 32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0}


def draw(module):
    generator = torch.Generator().manual_seed(0)
    for parameter in module.parameters():
        drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        centre = 1.0 if parameter.ndim == 1 else 0.0  # the scale of a norm
        parameter.data = centre + drawn * (0.2 if parameter.ndim == 1 else 0.4)
    return module.double().eval()


@torch.no_grad()
def answers(name, module, rotary):
    module = draw(module)
    x = torch.randn(B, S, D, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    positions = torch.arange(S)
    allowed = positions >= torch.tensor(PADDED)[:, None]
    allowed = allowed[:, None, None] & (positions <= positions[:, None])
    mask = torch.zeros(allowed.shape, dtype=torch.float64).masked_fill(~allowed, -1e30)
    waves = rotary(x, positions[None])
    whole = module(hidden_states=x, position_embeddings=waves, attention_mask=mask)[0]
    cache, steps = DynamicCache(), []
    for start, end in ((0, PROMPT), *((i, i + 1) for i in range(PROMPT, S))):
        own = tuple(wave[:, start:end] for wave in waves)
        options = {"position_embeddings": own, "attention_mask": mask[:, :, start:end, :end]}
        steps.append(module(hidden_states=x[:, start:end], past_key_values=cache, **options)[0])
    real = allowed[:, 0].any(-1)  # a padded query sees nothing: there the library averages all values
    torch.testing.assert_close(torch.cat(steps, dim=1)[real], whole[real], rtol=1e-6, atol=1e-6)
    arrays = {name: x.numpy() for name, x in module.state_dict().items()} | {"x": x.numpy(), "output": whole.numpy()}
    return {f"{name}/{key}": array for key, array in arrays.items()}


class Rotary64(torch.nn.Module):
    """The library's waves, but in float64: its own are computed in float32."""

    def __init__(self, config, dim, frequencies=None, scale=1.0):
        super().__init__()
        base = config.rope_parameters["rope_theta"]
        self.frequencies, self.scale = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim), scale
        if frequencies is not None:
            self.frequencies = frequencies.double()

    def forward(self, x, positions):
        angle = positions[..., None] * self.frequencies
        angle = torch.cat([angle, angle], dim=-1)
        return self.scale * angle.cos(), self.scale * angle.sin()


def main():
    goldens = {"padded": PADDED}
    config = LlamaConfig(**GROUPED)
    goldens |= answers("llama", llama.LlamaAttention(config, 0), Rotary64(config, K))
    config = Qwen3Config(**GROUPED)
    goldens |= answers("qwen3", qwen.Qwen3Attention(config, 0), Rotary64(config, K))
    for name, query in (("deepseek", 13), ("deepseek without a query latent", None)):
        config = DeepseekV3Config(**LATENT, q_lora_rank=query)
        goldens |= answers(name, deepseek.DeepseekV3Attention(config, 0), Rotary64(config, 4))
    for name, mscale in (("deepseek yarn", 1.0), ("deepseek yarn of two shares", 0.707)):
        config = DeepseekV3Config(**LATENT, q_lora_rank=13, rope_parameters=YARN | {"mscale": mscale})
        waves = deepseek.DeepseekV3RotaryEmbedding(config)  # frequencies and scale are the library's own
        own = Rotary64(config, 4, waves.inv_freq, waves.attention_scaling)
        goldens |= answers(name, deepseek.DeepseekV3Attention(config, 0), own)
    path = Path(__file__).with_name("cache.npz")
    np.savez_compressed(path, **{key: np.asarray(x) for key, x in goldens.items()})
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
