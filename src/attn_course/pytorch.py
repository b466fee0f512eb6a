"""Every public name of the course in PyTorch."""

from attn_course.bahdanau.pytorch import (
    AdditiveAttention,
    BahdanauDecoder,
    EncoderDecoder,
    FixedContextDecoder,
    RecurrentEncoder,
    additive_attention,
)
from attn_course.dot_product.pytorch import masked_softmax, scaled_dot_product_attention
from attn_course.luong.pytorch import (
    LocalAttention,
    LuongAttention,
    LuongDecoder,
    local_window,
    luong_score,
)
from attn_course.multi_head.pytorch import (
    MultiHeadAttention,
    head_importance,
    merge_heads,
    split_heads,
)
from attn_course.self_attention.pytorch import (
    FeatureMapAttention,
    IntraAttentionLSTM,
    SelfAttention,
    image_to_tokens,
    tokens_to_image,
)

__all__ = [
    "AdditiveAttention",
    "BahdanauDecoder",
    "EncoderDecoder",
    "FeatureMapAttention",
    "FixedContextDecoder",
    "IntraAttentionLSTM",
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "MultiHeadAttention",
    "RecurrentEncoder",
    "SelfAttention",
    "additive_attention",
    "head_importance",
    "image_to_tokens",
    "local_window",
    "luong_score",
    "masked_softmax",
    "merge_heads",
    "scaled_dot_product_attention",
    "split_heads",
    "tokens_to_image",
]
