"""The functions and layers of this topic, in TensorFlow."""

from attn_course.bahdanau.additive.tf import (
    AdditiveAttention,
    BahdanauDecoder,
    additive_attention,
)
from attn_course.bahdanau.encoder_decoder.tf import (
    EncoderDecoder,
    FixedContextDecoder,
    RecurrentEncoder,
)

__all__ = [
    "AdditiveAttention",
    "BahdanauDecoder",
    "EncoderDecoder",
    "FixedContextDecoder",
    "RecurrentEncoder",
    "additive_attention",
]
