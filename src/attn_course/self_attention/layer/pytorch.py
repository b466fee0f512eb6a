"""One head of self-attention in PyTorch. Formula: ``reference.py``."""

from attn_course.dot_product.pytorch import (
    hide_nan,
    hide_unseen,
    scaled_dot_product_attention,
)
from attn_course.frameworks import torch
from attn_course.self_attention.layer.checks import check_self_attention


class SelfAttention(torch.nn.Module):
    """One head of self-attention: ``attn_course.reference.self_attention``.

    Shapes:
        x (B, T, model_dim), mask (T, T), (B, 1, T) or (B, T, T)
        -> output (B, T, value_dim), or (B, T, model_dim) if ``project``; weights
        (B, T, T), None for ``need_weights=False``.

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """

    def __init__(self, model_dim, *, key_dim, value_dim, project=False):
        super().__init__()
        self.query_weight = _weight(model_dim, key_dim)
        self.key_weight = _weight(model_dim, key_dim)
        self.value_weight = _weight(model_dim, value_dim)
        self.output_weight = _weight(value_dim, model_dim) if project else None

    def forward(self, x, mask=None, *, causal=False, need_weights=True):
        check_self_attention(x, self._weights(), mask)
        seen = x if mask is None else hide_unseen(x, mask)
        asking = x if mask is None else hide_nan(x, mask)
        output, weights = scaled_dot_product_attention(
            asking @ self.query_weight,
            seen @ self.key_weight,
            seen @ self.value_weight,
            mask,
            causal=causal,
            need_weights=need_weights,
        )
        if self.output_weight is not None:
            output = output @ self.output_weight
        return output, weights

    def _weights(self):
        return dict(self.named_parameters())


def _weight(rows, columns):
    weight = torch.nn.Parameter(torch.empty(rows, columns))
    torch.nn.init.xavier_uniform_(weight)
    return weight
