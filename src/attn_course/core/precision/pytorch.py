"""See ``attn_course.core.precision``."""

from attn_course.core.frameworks import torch


def wide(dtype: torch.dtype) -> torch.dtype:
    """The dtype to compute in: float32, or float64 if that is given."""
    return torch.promote_types(dtype, torch.float32)
