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
from attn_course.multi_head.reference import (
    merge_heads,
    multi_head_attention,
    multi_head_attention_at_once,
    split_heads,
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
    "merge_heads",
    "multi_head_attention",
    "multi_head_attention_at_once",
    "prepare_memory",
    "recurrent_encoder",
    "scaled_dot_product_attention",
    "split_heads",
]
