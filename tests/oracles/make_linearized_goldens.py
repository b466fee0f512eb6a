"""Makes ``linearized.npz``: what independent libraries say about linear attention, decay, the delta rule and FAVOR+.

Not a test, and not run by them: the libraries are not installed where the tests run. To repeat it, in an environment of
its own: ``pip install torch numpy transformers==5.23.0 fla-core==0.6.0 performer-pytorch==1.1.4``, then run this file.
fla-core's package wants a GPU's compiler; its plain recurrences are read as single files. The inputs stand in the file
too, in float32, in which these libraries compute.
"""

import importlib.util
from pathlib import Path

import numpy as np
import torch
from performer_pytorch.performer_pytorch import gaussian_orthogonal_random_matrix, linear_attention, softmax_kernel
from transformers.models.qwen3_next import modeling_qwen3_next as qwen

B, H, T, K, V, F = 2, 3, 11, 5, 7, 13
FLA = Path(importlib.util.find_spec("fla").submodule_search_locations[0]) / "ops"


def fla(topic):
    """The plain recurrences of one mechanism, without the package around them."""
    spec = importlib.util.spec_from_file_location(f"naive_{topic}", FLA / topic / "naive.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def turned(*arrays):
    """(B, H, T, X) as (B, T, H, X), and back."""
    return [x.transpose(1, 2).contiguous() for x in arrays]


def main():
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(B, H, T, K, generator=generator) for _ in range(2))
    value = torch.randn(B, H, T, V, generator=generator)
    decay, beta = torch.rand(2, B, H, T, generator=generator)
    decay = 0.3 + 0.7 * decay
    unit = torch.nn.functional.normalize(key, dim=-1)
    torch.manual_seed(0)
    projection = gaussian_orthogonal_random_matrix(F, K)
    given = {"query": query, "key": key, "unit_key": unit, "value": value}
    given |= {"decay": decay, "beta": beta, "projection": projection}
    elu = [torch.nn.functional.elu(x) + 1 for x in (query, key)]
    found, plain = {}, turned(query, key, value)
    recurrent = fla("linear_attn").naive_recurrent_linear_attn
    found["linear"] = turned(recurrent(*turned(*elu, value), scale=1.0, normalize=True)[0])[0]
    found["additive"] = turned(recurrent(*plain, scale=1.0)[0])[0]
    found["retention"] = fla("retention").naive_retention(query, key, value) * K**0.5
    log_decay, gate = turned(decay.log(), beta)
    gated = fla("simple_gla").naive_recurrent_simple_gla
    found["decayed"] = turned(gated(*plain, g=log_decay, scale=1.0)[0])[0]
    found["delta"] = fla("delta_rule").delta_rule_recurrence(query, unit, value, beta)[0] * K**0.5
    three = turned(query, unit, value)
    rule = fla("gated_delta_rule").naive_recurrent_gated_delta_rule
    found["gated_delta"] = turned(rule(*three, beta=gate, g=log_decay, scale=1.0)[0])[0]
    for name in ("recurrent", "chunk"):
        rule = getattr(qwen, f"torch_{name}_gated_delta_rule")
        options = {"initial_state": None, "output_final_state": False}
        output = rule(*three, g=log_decay, beta=gate, **options)[0]
        found[f"qwen_{name}"] = turned(output)[0] * K**0.5
    options = {"projection_matrix": projection, "eps": 0.0}
    features = [softmax_kernel(x, is_query=x is query, **options) for x in (query, key)]
    found["favor"] = linear_attention(*features, value)
    arrays = {name: x.numpy() for name, x in (given | found).items()}
    np.savez_compressed(Path(__file__).with_name("linearized.npz"), **arrays)


if __name__ == "__main__":
    main()
