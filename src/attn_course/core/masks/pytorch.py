"""What a mask is in PyTorch: a tensor, or an array of NumPy."""

import numpy as np

from attn_course.core.frameworks import torch

Mask = torch.Tensor | np.ndarray | None


def to_mask(mask: Mask, like: torch.Tensor) -> torch.Tensor | None:
    """A mask of NumPy as a tensor, on the device of ``like``."""
    if isinstance(mask, np.ndarray):
        return torch.as_tensor(mask, device=like.device)
    return mask
