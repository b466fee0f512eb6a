"""Every public name of the course in TensorFlow."""

from attn_course.bahdanau.tf import (
    AdditiveAttention,
    BahdanauDecoder,
    EncoderDecoder,
    FixedContextDecoder,
    RecurrentEncoder,
    additive_attention,
)
from attn_course.dot_product.tf import masked_softmax, scaled_dot_product_attention
from attn_course.luong.tf import (
    LocalAttention,
    LuongAttention,
    LuongDecoder,
    local_window,
    luong_score,
)
from attn_course.positional.tf import (
    AlibiBias,
    LearnedEncoding,
    RelativeAttention,
    RelativeBias,
    RotaryEncoding,
    SinusoidalEncoding,
    alibi_bias,
    alibi_slopes,
    change_layout,
    relative_buckets,
    rotate,
    sinusoidal_encoding,
)

__all__ = [
    "AdditiveAttention",
    "AlibiBias",
    "BahdanauDecoder",
    "EncoderDecoder",
    "FixedContextDecoder",
    "LearnedEncoding",
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "RecurrentEncoder",
    "RelativeAttention",
    "RelativeBias",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "change_layout",
    "local_window",
    "luong_score",
    "masked_softmax",
    "relative_buckets",
    "rotate",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
]
