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
from attn_course.multi_head.tf import (
    MultiHeadAttention,
    head_importance,
    merge_heads,
    split_heads,
)
from attn_course.positional.tf import (
    AlibiBias,
    LearnedEncoding,
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
from attn_course.relative.tf import RelativeAttention
from attn_course.self_attention.tf import (
    FeatureMapAttention,
    IntraAttentionLSTM,
    SelfAttention,
    image_to_tokens,
    tokens_to_image,
)

__all__ = [
    "AdditiveAttention",
    "AlibiBias",
    "BahdanauDecoder",
    "EncoderDecoder",
    "FeatureMapAttention",
    "FixedContextDecoder",
    "IntraAttentionLSTM",
    "LearnedEncoding",
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "MultiHeadAttention",
    "RecurrentEncoder",
    "RelativeAttention",
    "RelativeBias",
    "RotaryEncoding",
    "SelfAttention",
    "SinusoidalEncoding",
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "change_layout",
    "head_importance",
    "image_to_tokens",
    "local_window",
    "luong_score",
    "masked_softmax",
    "merge_heads",
    "relative_buckets",
    "rotate",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "split_heads",
    "tokens_to_image",
]
