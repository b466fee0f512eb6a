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
