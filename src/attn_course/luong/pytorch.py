"""Luong's attention in PyTorch: every public name of the topic."""

from attn_course.luong.attention.pytorch import (
    LocalAttention,
    LuongAttention,
    local_window,
    luong_score,
)
from attn_course.luong.decoder.pytorch import LuongDecoder

__all__ = [
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "local_window",
    "luong_score",
]
