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
from attn_course.positional.reference import (
    alibi_bias,
    alibi_slopes,
    change_layout,
    learned_encoding,
    relative_bias,
    relative_buckets,
    rotate,
    sinusoidal_encoding,
    sinusoidal_shift,
)
from attn_course.relative.reference import relative_attention
from attn_course.self_attention.reference import (
    feature_map_attention,
    image_to_tokens,
    intra_attention_lstm,
    self_attention,
    tokens_to_image,
)

__all__ = [
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "bahdanau_decoder",
    "change_layout",
    "feature_map_attention",
    "fixed_context_decoder",
    "gru_step",
    "image_to_tokens",
    "intra_attention_lstm",
    "learned_encoding",
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
    "relative_attention",
    "relative_bias",
    "relative_buckets",
    "rotate",
    "scaled_dot_product_attention",
    "self_attention",
    "sinusoidal_encoding",
    "sinusoidal_shift",
    "split_heads",
    "tokens_to_image",
]
