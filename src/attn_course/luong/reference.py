"""Luong's attention in NumPy: every public name of the topic."""

from attn_course.luong.attention.reference import (
    local_attention,
    local_window,
    luong_attention,
    luong_score,
)
from attn_course.luong.decoder.reference import luong_decoder

__all__ = [
    "local_attention",
    "local_window",
    "luong_attention",
    "luong_decoder",
    "luong_score",
]
