"""Positional encodings in PyTorch: every public name of the topic."""

from attn_course.positional.absolute.pytorch import (
    LearnedEncoding,
    SinusoidalEncoding,
    sinusoidal_encoding,
)
from attn_course.positional.bias.pytorch import (
    AlibiBias,
    RelativeBias,
    alibi_bias,
    alibi_slopes,
    relative_buckets,
)
from attn_course.positional.relative.pytorch import (
    RelativeAttention,
)
from attn_course.positional.rotary.pytorch import (
    RotaryEncoding,
    change_layout,
    rotate,
)

__all__ = [
    "AlibiBias",
    "LearnedEncoding",
    "RelativeAttention",
    "RelativeBias",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "alibi_bias",
    "alibi_slopes",
    "change_layout",
    "relative_buckets",
    "rotate",
    "sinusoidal_encoding",
]
