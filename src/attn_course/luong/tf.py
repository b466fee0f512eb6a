"""Luong's attention in TensorFlow: every public name of the topic."""

from attn_course.luong.attention.tf import (
    LocalAttention,
    LuongAttention,
    local_window,
    luong_score,
)
from attn_course.luong.decoder.tf import LuongDecoder

__all__ = [
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "local_window",
    "luong_score",
]
