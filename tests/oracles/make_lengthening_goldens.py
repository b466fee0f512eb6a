"""Makes ``lengthening.json``: what Hugging Face's transformers says about rotations longer than training.

Not a test, and not run by them: the library is not installed where the tests run. To repeat it, in an environment of
its own: ``pip install torch transformers==5.23.0``, then run this file.
"""

import json
from importlib.metadata import version
from pathlib import Path

import torch
import transformers
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama import modeling_llama
from transformers.models.llama4 import modeling_llama4

# Width of a head, base, trained length, factor. The first is the example of the text.
SIZES = ((64, 10000.0, 2048, 4.0), (128, 500000.0, 8192, 8.0), (16, 10000.0, 64, 4.0), (6, 100.0, 23, 2.5))


def config(dim, base, trained_length, **rule):
    sizes = {"hidden_size": 2 * dim, "num_attention_heads": 2, "head_dim": dim}
    made = transformers.LlamaConfig(**sizes, max_position_embeddings=trained_length)
    made.rope_parameters = {"rope_theta": base, **rule}
    return made


def listed(x):
    return [float(number) for number in x]


def frequencies():
    found = []
    for dim, base, trained_length, factor in SIZES:
        start = {"factor": factor, "original_max_position_embeddings": trained_length}
        rules = [("linear", {}, {}), ("dynamic", {}, {"length": 3 * trained_length}), ("dynamic", {}, {"length": 5})]
        rules += [("yarn", {}, {}), ("yarn", {"beta_fast": 8.0, "beta_slow": 2.0}, {"low": 2.0, "high": 8.0})]
        rules += [("llama3", {"low_freq_factor": 1.0, "high_freq_factor": 4.0}, {})]
        rules += [("llama3", {"low_freq_factor": 0.5, "high_freq_factor": 7.0}, {"low": 0.5, "high": 7.0})]
        for name, theirs, ours in rules:
            made = config(dim, base, trained_length, rope_type=name, **start, **theirs)
            values, scale = ROPE_INIT_FUNCTIONS[name](made, "cpu", seq_len=ours.get("length"))
            asked = {"dim": dim, "base": base, "factor": factor, "trained_length": trained_length, **ours}
            asked["method"] = "ntk" if name == "dynamic" else name
            found.append({"asked": asked, "frequencies": listed(values), "scale": scale})
    return {"call": "ROPE_INIT_FUNCTIONS[name](config, 'cpu', seq_len=length)", "found": found}


def ladders():
    """Fewer pairs (partial_rotary_factor), and pairs that stand still (proportional)."""
    partial = config(64, 10000.0, 2048, rope_type="linear", factor=1.0, partial_rotary_factor=0.25)
    still = config(64, 10000.0, 2048, rope_type="proportional", partial_rotary_factor=0.25)
    return {
        "partial": listed(ROPE_INIT_FUNCTIONS["linear"](partial, "cpu")[0]),
        "proportional": listed(ROPE_INIT_FUNCTIONS["proportional"](still, "cpu")[0]),
    }


def turned():
    """A query and a key of Llama, turned by YaRN's frequencies and multiplied by its scale."""
    rule = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 23}
    made, generator = config(16, 10000.0, 23, **rule), torch.Generator().manual_seed(0)
    query, key = torch.randn(2, 1, 2, 7, 16, generator=generator)
    waves = modeling_llama.LlamaRotaryEmbedding(made)(query, torch.arange(90, 97)[None])
    found = modeling_llama.apply_rotary_pos_emb(query, key, *waves)
    numbers = {name: x.tolist() for name, x in zip(("query", "key"), (query, key), strict=True)}
    return {"first_position": 90, **numbers, "turned": [x.tolist() for x in found]}


def log_scale():
    """What Llama 4 multiplies the queries of its layers without rotation with."""
    text = {"hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": 8}
    text |= {"num_hidden_layers": 1, "no_rope_layers": [0], "floor_scale": 7, "attn_scale": 0.3}
    made = transformers.Llama4TextConfig(**text, attn_implementation="eager", attn_temperature_tuning=True)
    layer, seen = modeling_llama4.Llama4TextAttention(made, 0).double(), {}

    def keep(module, query, key, value, mask, **options):
        seen["query"] = query
        return query.transpose(1, 2), None

    right = modeling_llama4.eager_attention_forward
    modeling_llama4.eager_attention_forward = keep
    x = torch.randn(1, 30, 8, generator=torch.Generator().manual_seed(0)).double()
    waves = torch.polar(torch.ones(1, 30, 2), torch.zeros(1, 30, 2))
    with torch.no_grad():
        layer(x, waves, None)
        plain = layer.q_proj(x).view(1, 30, 2, 4).transpose(1, 2)
    modeling_llama4.eager_attention_forward = right
    scale = (seen["query"] / plain)[0]
    assert scale.std(dim=(0, 2)).max() < 1e-6
    return {"trained_length": 7, "strength": 0.3, "scale": listed(scale.mean(dim=(0, 2)))}


if __name__ == "__main__":
    made = {"versions": {name: version(name) for name in ("torch", "transformers")}}
    made |= {part.__name__: part() for part in (frequencies, ladders, turned, log_scale)}
    path = Path(__file__).with_name("lengthening.json")
    path.write_text(json.dumps(made) + "\n", encoding="utf-8")
