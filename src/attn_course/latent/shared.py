"""Sizes of latent attention, and what is read from another library's module."""

from typing import Any

import numpy as np

from attn_course.shapes import check_at_least, check_positive, dtype_name

EPSILON = 1e-6  # of the RMS norms, as in DeepSeek's code


def latent_config(base: float, query_latent_dim: int | None, **sizes: int) -> dict:
    """What a layer is built from; ValueError where a size is wrong."""
    check_at_least(1, **sizes)
    check_positive(base=base)
    if query_latent_dim is not None:
        check_at_least(1, query_latent_dim=query_latent_dim)
    if sizes["rope_dim"] % 2:
        raise ValueError(f"rope_dim must be even, got {sizes['rope_dim']}")
    return sizes | {"query_latent_dim": query_latent_dim, "base": base}


NAMES = {
    "q_proj.weight": "query_weight",
    "q_a_proj.weight": "query_down_weight",
    "q_a_layernorm.weight": "query_norm.scale",
    "q_b_proj.weight": "query_up_weight",
    "kv_a_proj_with_mqa.weight": "latent_weight",
    "kv_a_layernorm.weight": "latent_norm.scale",
    "kv_b_proj.weight": "key_value_weight",
    "o_proj.weight": "output_weight",
}


def read_huggingface(module: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The sizes and parameters of Hugging Face's ``DeepseekV3Attention``.

    Raises:
        ValueError: it has what ours has not: biases, or a lengthened rotary encoding.
    """
    if not hasattr(module, "kv_a_proj_with_mqa"):
        came = type(module).__name__
        raise ValueError(f"module must be a DeepseekV3Attention, got {came}")
    config, state = module.config, module.state_dict()
    rope = config.rope_parameters
    wanted = {"rope_type": "default", "rope_interleave": True}
    found = {"rope_type": rope.get("rope_type", "default")}
    found["rope_interleave"] = getattr(config, "rope_interleave", True)
    unknown = sorted(state.keys() - NAMES.keys())
    if found != wanted or unknown:
        what = f"{found} and {', '.join(unknown) or 'no biases'}"
        raise ValueError(f"module must have {wanted} and no biases, got {what}")
    parameters = {}
    for name, tensor in state.items():
        array = tensor.detach().cpu()
        array = array.float() if dtype_name(array) == "bfloat16" else array
        array = array.numpy()
        parameters[NAMES[name]] = array.T if array.ndim == 2 else array
    sizes = {
        "model_dim": config.hidden_size,
        "num_heads": module.num_heads,
        "latent_dim": module.kv_lora_rank,
        "rope_dim": module.qk_rope_head_dim,
        "key_dim": module.qk_nope_head_dim,
        "value_dim": module.v_head_dim,
        "query_latent_dim": module.q_lora_rank,
        "base": rope["rope_theta"],
    }
    return sizes, parameters
