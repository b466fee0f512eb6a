"""Self-attention in NumPy, float64: the specification."""

from attn_course.self_attention.feature_map.reference import (
    feature_map_attention,
    image_to_tokens,
    tokens_to_image,
)
from attn_course.self_attention.intra.reference import intra_attention_lstm
from attn_course.self_attention.layer.reference import self_attention

__all__ = [
    "feature_map_attention",
    "image_to_tokens",
    "intra_attention_lstm",
    "self_attention",
    "tokens_to_image",
]
