"""The functions and layers of this topic, in PyTorch."""

from attn_course.bahdanau.additive.pytorch import (
    AdditiveAttention,
    BahdanauDecoder,
    additive_attention,
)
from attn_course.bahdanau.encoder_decoder.pytorch import (
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
