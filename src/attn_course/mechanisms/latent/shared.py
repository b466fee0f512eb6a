"""Sizes of latent attention, and what is read from another library's module."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_course.core.convert import arrays, check_options, renamed
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_at_least, check_choice, check_positive
from attn_course.mechanisms.parts.lengthening.reference import rotary_frequencies

EPSILON = 1e-6  # of the RMS norms, as in DeepSeek's code
BASE = 10000.0
# One projection makes key and value of one input, for all heads, and without a bias;
# absorbed, values are never formed.
REFUSED = ("num_kv_heads", "memory_dim", "use_bias", "query_key_norm", "value_norm")


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
    def entry_dim(self) -> int:
        """How many numbers a cache keeps of a position."""
        return self.latent_dim + self.rope_dim

    @property
    def kept(self) -> tuple[int, int, int]:
        return 1, self.entry_dim, 0  # the values are a part of the keys

    @property
    def rotary_dim(self) -> int:
        return self.rope_dim

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


# All keys of ``rope_parameters`` that are read, by its type, and what ours calls them.
LONGER = {"factor": "factor", "original_max_position_embeddings": "trained_length"}
KEYS = {
    "default": {},
    "linear": {"factor": "factor"},
    "llama3": LONGER | {"low_freq_factor": "low", "high_freq_factor": "high"},
    "yarn": LONGER
    | {"beta_slow": "low", "beta_fast": "high", "attention_factor": None}
    | {"mscale": None, "mscale_all_dim": None, "truncate": None},
    "dynamic": {"factor": "factor"},
    "longrope": LONGER
    | {"short_factor": "short", "long_factor": "long", "attention_factor": None},
}
NOTHING = {"factor": 1.0, "attention_factor": 1.0, "partial_rotary_factor": 1.0}


def read_huggingface(
    module: Any, names: dict[str, str] = NAMES
) -> tuple[dict[str, Any], dict[str, Any], dict[str, np.ndarray]]:
    """What ours is built from to be Hugging Face's ``DeepseekV3Attention``.

    The arguments of ``LatentAttention``; those of its ``RotaryEncoding``; the
    parameters. names: theirs, and what ours calls them.

    Raises:
        ValueError: it has what ours has not: biases, or another rotary encoding.
    """
    if not hasattr(module, "kv_a_proj_with_mqa"):
        came = type(module).__name__
        raise ValueError(f"module must be a DeepseekV3Attention, got {came}")
    config, state = module.config, arrays(module)
    R = module.qk_rope_head_dim
    check_options(
        "module",
        ("head_dim", getattr(config, "head_dim", R), R),  # what turns there
        ("rope_interleave", getattr(config, "rope_interleave", True), True),
        ("attention_bias", "o_proj.bias" in state, False),
    )
    options = {
        "model_dim": config.hidden_size,
        "num_heads": module.num_heads,
        "latent_dim": module.kv_lora_rank,
        "rope_dim": R,
        "key_dim": module.qk_nope_head_dim,
        "value_dim": module.v_head_dim,
        "query_latent_dim": module.q_lora_rank,
        "scale": module.scaling,
    }
    turn = read_rope(module, R) | {"layout": "interleaved"}
    return options, turn, renamed(state, names)


PARTLY = tuple(
    f"{name}Attention"
    for name in ("Qwen3Next", "MiniMaxM3VL", "Glm", "Glm4", "Phi", "Phi3")
)  # whose heads turn some of their columns


def read_rope(module: Any, dim: int) -> dict[str, Any]:
    """The arguments of the ``RotaryEncoding`` that turns as a module of Hugging Face's.

    Raises:
        ValueError: it is lengthened in a way that ours has not, or by a key that is not
        read.
    """
    config, every = module.config, module.config.rope_parameters
    names = "rope_layer_type", "layer_type", "attention_type"
    layer = next((getattr(module, x) for x in names if hasattr(module, x)), None)
    rope = every.get(layer, every)  # Gemma 3, OLMo 3 and DeepSeek-V4 have two
    rope = {key: x for key, x in rope.items() if x is not None}
    kind = rope.get("rope_type", rope.get("type", "default"))
    check_choice("rope_type", kind, KEYS)
    known, turned = {"rope_type", "type", "rope_theta", *KEYS[kind]}, dim
    name = type(module).__name__
    if name in PARTLY:
        known.add("partial_rotary_factor")
        turned = int(dim * rope.get("partial_rotary_factor", 1.0))
    elif name == "DeepseekV4Attention":  # dim: what turns there
        known.add("partial_rotary_factor")
        columns = int(module.head_dim * rope.get("partial_rotary_factor", 1.0))
        check_options("module", ("columns by partial_rotary_factor", columns, dim))
    elif kind == "default":  # the library's other classes turn all columns all the same
        known.add("partial_rotary_factor")
    for key in sorted(rope.keys() - known):
        check_options(f"rope_type {kind!r}", (key, rope[key], NOTHING.get(key)))
    options = {"key_dim": dim, "base": rope["rope_theta"]}
    if kind == "default" and turned == dim:
        return options
    more = {ours: rope[key] for key, ours in KEYS[kind].items() if ours and key in rope}
    if kind == "dynamic":
        more["trained_length"] = config.max_position_embeddings
    if "trained_length" in more and "factor" not in rope:
        more["factor"] = config.max_position_embeddings / more["trained_length"]
    rule = more | {
        "dim": turned,
        "base": rope["rope_theta"],
        "method": {"default": None, "dynamic": "ntk"}.get(kind, kind),
        "truncate": bool(every.get("truncate", True)),  # there, also for Gemma 3
    }
    frequencies, scale = rotary_frequencies(**rule)
    if kind in ("dynamic", "longrope"):
        frequencies = rule
    one, other = rope.get("mscale"), rope.get("mscale_all_dim")
    if one and other:
        scale = (one * (scale - 1) + 1) / (other * (scale - 1) + 1)
    scale = rope.get("attention_factor", scale)
    return options | {"frequencies": frequencies, "scale": scale}
