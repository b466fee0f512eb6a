"""Self-attention in TensorFlow."""

from attn_course.self_attention.feature_map.tf import (
    FeatureMapAttention,
    image_to_tokens,
    tokens_to_image,
)
from attn_course.self_attention.intra.tf import IntraAttentionLSTM
from attn_course.self_attention.layer.tf import SelfAttention

__all__ = [
    "FeatureMapAttention",
    "IntraAttentionLSTM",
    "SelfAttention",
    "image_to_tokens",
    "tokens_to_image",
]
