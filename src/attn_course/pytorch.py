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

__all__ = [
    "AdditiveAttention",
    "BahdanauDecoder",
    "EncoderDecoder",
    "FixedContextDecoder",
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "MultiHeadAttention",
    "RecurrentEncoder",
    "additive_attention",
    "head_importance",
    "local_window",
    "luong_score",
    "masked_softmax",
    "merge_heads",
    "scaled_dot_product_attention",
    "split_heads",
]
