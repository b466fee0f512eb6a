"""Self-attention in PyTorch."""

from attn_course.self_attention.feature_map.pytorch import (
    FeatureMapAttention,
    image_to_tokens,
    tokens_to_image,
)
from attn_course.self_attention.intra.pytorch import IntraAttentionLSTM
from attn_course.self_attention.layer.pytorch import SelfAttention

__all__ = [
    "FeatureMapAttention",
    "IntraAttentionLSTM",
    "SelfAttention",
    "image_to_tokens",
    "tokens_to_image",
]
