"""Positional encodings in TensorFlow: every public name of the topic."""

from attn_course.positional.absolute.tf import (
    LearnedEncoding,
    SinusoidalEncoding,
    sinusoidal_encoding,
)
from attn_course.positional.bias.tf import (
    AlibiBias,
    RelativeBias,
    alibi_bias,
    alibi_slopes,
    relative_buckets,
)
from attn_course.positional.relative.tf import (
    RelativeAttention,
)
from attn_course.positional.rotary.tf import (
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
