"""Every public specification of the course, in NumPy and float64."""

from attn_course.bahdanau.reference import (
    additive_attention,
    bahdanau_decoder,
    fixed_context_decoder,
    gru_step,
    prepare_memory,
    recurrent_encoder,
)
from attn_course.dot_product.reference import (
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.luong.reference import (
    local_attention,
    local_window,
    luong_attention,
    luong_decoder,
    luong_score,
)

__all__ = [
    "additive_attention",
    "bahdanau_decoder",
    "fixed_context_decoder",
    "gru_step",
    "local_attention",
    "local_window",
    "luong_attention",
    "luong_decoder",
    "luong_score",
    "masked_softmax",
    "prepare_memory",
    "recurrent_encoder",
    "scaled_dot_product_attention",
]
