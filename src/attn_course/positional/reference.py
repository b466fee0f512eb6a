"""Positional encodings in NumPy: every public name of the topic."""

from attn_course.positional.absolute.reference import (
    learned_encoding,
    sinusoidal_encoding,
    sinusoidal_shift,
)
from attn_course.positional.bias.reference import (
    alibi_bias,
    alibi_slopes,
    relative_bias,
    relative_buckets,
)
from attn_course.positional.relative.reference import (
    relative_attention,
)
from attn_course.positional.rotary.reference import (
    change_layout,
    rotate,
)

__all__ = [
    "alibi_bias",
    "alibi_slopes",
    "change_layout",
    "learned_encoding",
    "relative_attention",
    "relative_bias",
    "relative_buckets",
    "rotate",
    "sinusoidal_encoding",
    "sinusoidal_shift",
]
