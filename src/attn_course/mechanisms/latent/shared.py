"""Sizes of latent attention, and what is read from another library's module."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_course.core.convert import arrays, renamed
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_at_least, check_positive
from attn_course.mechanisms.parts.lengthening.reference import rotary_frequencies

EPSILON = 1e-6  # of the RMS norms, as in DeepSeek's code
BASE = 10000.0
# One projection makes key and value of one input, for all heads, and without a bias.
REFUSED = ("num_kv_heads", "memory_dim", "use_bias", "query_key_norm")


@dataclass(frozen=True, kw_only=True)
class LatentSizes(HeadSizes):
    """The widths of the latents and of the rotated columns."""

    latent_dim: int
    rope_dim: int
    query_latent_dim: int | None
    base: float

    def __post_init__(self):
        check_at_least(1, latent_dim=self.latent_dim, rope_dim=self.rope_dim)
        check_positive(base=self.base)
        if self.query_latent_dim is not None:
            check_at_least(1, query_latent_dim=self.query_latent_dim)
        if self.rope_dim % 2:
            raise ValueError(f"rope_dim must be even, got {self.rope_dim}")

    @property
    def score_scale(self) -> float:
        """1 / sqrt(key_dim + rope_dim), unless another was given."""
        width = self.key_dim + self.rope_dim
        return width**-0.5 if self.scale is None else self.scale

    def config(self) -> dict[str, Any]:
        """The constructor's arguments; dropout and scale where they say more."""
        names = ("model_dim", "num_heads", "latent_dim", "rope_dim", "key_dim")
        names += ("value_dim", "query_latent_dim", "base")
        names += ("dropout",) if self.dropout else ()
        names += () if self.scale is None else ("scale",)
        return {name: getattr(self, name) for name in names}


def check_turn(base: float, rotary: Any) -> None:
    """Raise ValueError if a base is given beside a rotation that has its own."""
    if rotary is not None and base != BASE:
        raise ValueError(f"base must be left out beside rotary, got {base}")


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


def read_huggingface(
    module: Any,
) -> tuple[dict[str, Any], dict[str, Any] | None, dict[str, np.ndarray]]:
    """What ours is built from to be Hugging Face's ``DeepseekV3Attention``.

    The arguments of ``LatentAttention``; those of its ``RotaryEncoding`` where it is
    lengthened by YaRN, else None; the parameters.

    Raises:
        ValueError: it has what ours has not: biases, or a rotary encoding that is
        lengthened by another method.
    """
    if not hasattr(module, "kv_a_proj_with_mqa"):
        came = type(module).__name__
        raise ValueError(f"module must be a DeepseekV3Attention, got {came}")
    config, rope = module.config, module.config.rope_parameters
    kind, pairs = (
        rope.get("rope_type", "default"),
        getattr(config, "rope_interleave", 1),
    )
    unknown = sorted(module.state_dict().keys() - NAMES.keys())
    if kind not in ("default", "yarn") or not pairs or unknown:
        wanted = "rope_type 'default' or 'yarn', rope_interleave and no biases"
        what = f"{kind!r}, {bool(pairs)} and {', '.join(unknown) or 'no biases'}"
        raise ValueError(f"module must have {wanted}, got {what}")
    options = {
        "model_dim": config.hidden_size,
        "num_heads": module.num_heads,
        "latent_dim": module.kv_lora_rank,
        "rope_dim": module.qk_rope_head_dim,
        "key_dim": module.qk_nope_head_dim,
        "value_dim": module.v_head_dim,
        "query_latent_dim": module.q_lora_rank,
    }
    turn = None
    if kind == "yarn":
        turn, options["scale"] = read_yarn(module)
    else:
        options["base"] = rope["rope_theta"]
    return options, turn, renamed(arrays(module), NAMES)


def read_yarn(module: Any) -> tuple[dict[str, Any], float]:
    """The rotation of a module of Hugging Face's with YaRN, and the scale of scores.

    DeepSeek multiplies its scores by ``mscale`` twice, as query and key would be.
    """
    rope, dim = module.config.rope_parameters, module.qk_rope_head_dim
    factor, trained = rope["factor"], rope["original_max_position_embeddings"]
    if factor is None:
        factor = module.config.max_position_embeddings / trained
    own, every = rope.get("mscale"), rope.get("mscale_all_dim")
    turn = magnitude(factor, own) / magnitude(factor, every) if own and every else None
    turn = rope.get("attention_factor") or turn or magnitude(factor, 1.0)
    ends = {"low": rope.get("beta_slow"), "high": rope.get("beta_fast")}
    method = {"method": "yarn", "factor": factor, "trained_length": trained}
    base, method = rope["rope_theta"], method | {k: x for k, x in ends.items() if x}
    frequencies, _ = rotary_frequencies(dim, base=base, **method)
    options = {"key_dim": dim, "layout": "interleaved", "base": base, "scale": turn}
    width = module.qk_nope_head_dim + dim
    scale = width**-0.5 * (magnitude(factor, every) ** 2 if every else 1.0)
    return options | {"frequencies": frequencies}, scale


def magnitude(factor: float, share: float) -> float:
    """YaRN's ``mscale``: how much longer vectors become, for a share of it."""
    return 0.1 * share * math.log(factor) + 1.0 if factor > 1 else 1.0
