"""The specifications of this topic, in NumPy."""

from attn_course.bahdanau.additive.reference import (
    additive_attention,
    bahdanau_decoder,
    prepare_memory,
)
from attn_course.bahdanau.encoder_decoder.reference import (
    fixed_context_decoder,
    gru_step,
    recurrent_encoder,
)

__all__ = [
    "additive_attention",
    "bahdanau_decoder",
    "fixed_context_decoder",
    "gru_step",
    "prepare_memory",
    "recurrent_encoder",
]
