"""What a mask is in PyTorch, a tensor or an array, and a bias in less bits."""

import numpy as np

from attn_course.core.frameworks import torch

Mask = torch.Tensor | np.ndarray | None


def to_mask(mask: Mask, like: torch.Tensor) -> torch.Tensor | None:
    """A mask of NumPy as a tensor, on the device of ``like``."""
    if isinstance(mask, np.ndarray):
        return torch.as_tensor(mask, device=like.device)
    return mask


def finite_cast(bias: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A bias in another dtype, where nothing finite becomes infinite and so blocks."""
    most = torch.finfo(dtype).max
    if torch.finfo(bias.dtype).max > most:
        bias = torch.where(bias.isinf(), bias, bias.clamp(-most, most))
    return bias.to(dtype)
