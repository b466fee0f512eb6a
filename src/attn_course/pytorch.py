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

__all__ = [
    "AdditiveAttention",
    "BahdanauDecoder",
    "EncoderDecoder",
    "FixedContextDecoder",
    "RecurrentEncoder",
    "additive_attention",
    "masked_softmax",
    "scaled_dot_product_attention",
]
