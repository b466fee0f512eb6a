"""Makes ``patterns.npz``: layers of two released models in Hugging Face's transformers, with random weights.

gpt-oss' attention with a sliding window (sinks, grouped queries, rotation); Longformer's with projections of its own
for global positions.

Not a test, and not run by them: the library is not installed where the tests run. To repeat it, in an environment of
its own: ``pip install torch numpy transformers==5.23.0``, then ``python make_pattern_goldens.py``.
"""

from pathlib import Path

import numpy as np
import torch
from transformers import GptOssConfig, LongformerConfig
from transformers.masking_utils import create_sliding_window_causal_mask
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention, GptOssRotaryEmbedding
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention

B, S, D, H, G, K = 2, 19, 14, 6, 3, 10
WIDTH, HEADS = 10, 2  # Longformer's
WINDOW, SIDE, BASE = 5, 3, 10000.0
GLOBAL, PADDED = (0, 7), (0, 5)
NAMES = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "o_proj": "output"}


def draw(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def fill(module):
    module = module.double().eval()
    for number, (_, parameter) in enumerate(sorted(module.named_parameters())):
        parameter.data = draw(*parameter.shape, seed=number) * 0.5
    return module


def parameters(module, names):
    """By the names of ``attn_course.parity``, as (in, out)."""
    found = {}
    for theirs, ours in names.items():
        layer = getattr(module, theirs)
        found |= {f"{ours}_weight": layer.weight.T, f"{ours}_bias": layer.bias}
    return {name: x.detach().numpy() for name, x in found.items()}


def gpt_oss():
    """The first layer of gpt-oss is a sliding one; keys behind the window's edge and in padding are blocked."""
    config = GptOssConfig(
        hidden_size=D,
        num_attention_heads=H,
        num_key_value_heads=G,
        head_dim=K,
        sliding_window=WINDOW,
        num_hidden_layers=2,
        layer_types=["sliding_attention", "full_attention"],
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
        attention_bias=True,
    )
    config._attn_implementation = "eager"
    module = fill(GptOssAttention(config, 0))
    assert module.sliding_window == WINDOW
    x, real = draw(B, S, D, seed=100), torch.arange(S) < S - torch.tensor(PADDED)[:, None]
    positions = torch.arange(S)[None].expand(B, S)
    given = {"inputs_embeds": x, "attention_mask": real.long(), "past_key_values": None, "position_ids": positions}
    mask = create_sliding_window_causal_mask(config=config, **given)
    output, _ = module(x, GptOssRotaryEmbedding(config)(x, positions), mask)
    found = parameters(module, NAMES) | {"softmax.sink": module.sinks.detach().numpy()}
    return {"x": x.numpy(), "output": output.detach().numpy(), **found}


def longformer():
    """The layer's attention without its output's projection, which stands in another module."""
    sizes = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "attention_window": [2 * SIDE]}
    module = fill(LongformerSelfAttention(LongformerConfig(**sizes, attention_probs_dropout_prob=0.0), 0))
    length = 4 * 2 * SIDE  # theirs wants a multiple of the window
    x, mask = draw(B, length, WIDTH, seed=200), torch.zeros(B, length, dtype=torch.float64)
    mask[:, list(GLOBAL)] = 10000.0
    for row, padded in enumerate(PADDED):
        mask[row, length - padded :] = -10000.0
    where = {"is_index_masked": mask < 0, "is_index_global_attn": mask > 0, "is_global_attn": True}
    output = module(x, attention_mask=mask, **where)[0]
    names = {f"{name}{end}": f"{name}{end}" for name in ("query", "key", "value") for end in ("", "_global")}
    return {"x": x.numpy(), "output": output.detach().numpy(), **parameters(module, names)}


def main():
    parts = {"gpt-oss": gpt_oss(), "longformer": longformer()}
    goldens = {f"{part}/{key}": x for part, found in parts.items() for key, x in found.items()}
    goldens |= {
        "heads": (H, G, K, HEADS),
        "window": WINDOW,
        "base": BASE,
        "side": SIDE,
        "global": GLOBAL,
        "padded": PADDED,
    }
    path = Path(__file__).with_name("patterns.npz")
    np.savez_compressed(path, **{key: np.asarray(x) for key, x in goldens.items()})
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
