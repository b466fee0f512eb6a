"""Attention by distance in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.dot_product.pytorch import allowed_keys, allowed_softmax
from attn_course.mechanisms.dot_product.shared import with_bias
from attn_course.mechanisms.relative.shared import (
    RelativeSizes,
    bucket_table,
    head_slopes,
)

__all__ = [
    "AlibiBias",
    "RelativeAttention",
    "RelativeBias",
    "alibi_bias",
    "alibi_slopes",
    "relative_buckets",
]


def alibi_slopes(
    num_heads: int, *, dtype: torch.dtype | None = None, device: Any = None
) -> torch.Tensor:
    """See ``attn_course.reference.alibi_slopes``. A dtype of None is float32."""
    dtype = torch.float32 if dtype is None else dtype
    return torch.tensor(head_slopes(num_heads), dtype=dtype, device=device)


def alibi_bias(
    num_heads: int,
    T: Any,
    S: Any,
    *,
    dtype: torch.dtype | None = None,
    device: Any = None,
) -> torch.Tensor:
    """See ``attn_course.reference.alibi_bias``. A dtype of None is float32.

    Computed in float32 or more.
    """
    dtype = torch.float32 if dtype is None else dtype
    own = wide(dtype)
    slopes = alibi_slopes(num_heads, dtype=own, device=device)
    distance = key_distance(T, S, device=device).abs()
    return (-slopes[:, None, None] * distance).to(dtype)


def key_distance(T: Any, S: Any, *, device: Any = None) -> torch.Tensor:
    """See ``attn_course.mechanisms.relative.reference.key_distance``."""
    check_at_least(0, T=T, S=S)
    queries = torch.arange(S - T, S, device=device)
    return torch.arange(S, device=device) - queries[:, None]


def relative_buckets(
    T: Any,
    S: Any,
    *,
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
    device: Any = None,
) -> torch.Tensor:
    """See ``attn_course.reference.relative_buckets``."""
    table = bucket_table(num_buckets, max_distance, bidirectional)
    return _look_up(torch.tensor(table, device=device), T, S)


def _look_up(table, T, S):
    """The entry of every pair's distance; beyond the table's ends, the end's."""
    most = len(table) // 2
    distance = key_distance(T, S, device=table.device)
    return table[distance.clamp(-most, most) + most]


class AlibiBias(torch.nn.Module):
    """The bias of ALiBi: ``attn_course.reference.alibi_bias``; nothing is learned.

    Raises:
        ValueError: num_heads is below 1, or T or S negative.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, num_heads=num_heads)
        self.num_heads = num_heads
        # No parameters: an empty buffer remembers where `.to(...)` sent the module.
        like = torch.empty(0, device=device, dtype=dtype)
        self.register_buffer("like", like, persistent=False)

    def forward(self, T: Any, S: Any) -> torch.Tensor:
        """T queries, S keys -> (1, num_heads, T, S), in the module's dtype.

        With the batch axis, PyTorch's attention takes its fused kernel; with three not.
        """
        place = {"dtype": self.like.dtype, "device": self.like.device}
        return alibi_bias(self.num_heads, T, S, **place)[None]

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}"


class RelativeBias(torch.nn.Module):
    """The bias of T5: ``attn_course.reference.relative_bias``.

    Raises:
        ValueError: a size is not as ``relative_buckets`` demands, or T or S negative.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, num_heads=num_heads)
        self.rule = num_buckets, max_distance, bidirectional
        table = torch.tensor(bucket_table(*self.rule), device=device)
        self.register_buffer("table", table, persistent=False)
        weight = torch.empty(num_buckets, num_heads, device=device, dtype=dtype)
        self.weight = torch.nn.Parameter(weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights; the table too, which may come from the meta device."""
        torch.nn.init.normal_(self.weight, std=0.02)
        self.table.copy_(torch.from_numpy(bucket_table(*self.rule)))

    def forward(self, T: Any, S: Any) -> torch.Tensor:
        """T queries, S keys -> (1, num_heads, T, S)."""
        rows_TS = _look_up(self.table, T, S)
        bias_TSH = torch.nn.functional.embedding(rows_TS, self.weight)
        return bias_TSH.permute(2, 0, 1)[None]

    def extra_repr(self) -> str:
        names = "num_heads={}, num_buckets={}, max_distance={}, bidirectional={}"
        return names.format(self.weight.shape[1], *self.rule)


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    far_key: torch.Tensor,
    far_value: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    bias: torch.Tensor | None = None,
    scale: float | None = None,
    softmax: Callable | None = None,
    dropout: Callable | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The formula, equations 3 and 4: softmax(Q (K + A)^T / sqrt(d)) (V + A').

    far_key A (T, S, K) and far_value A' (T, S, V): a vector per pair of positions.
    """
    query = (query.shape[-1] ** -0.5 if scale is None else scale) * query
    score = query @ key.mT + torch.einsum("bhtk,tsk->bhts", query, far_key)
    if bias is not None:
        score = score + bias
    weights = (softmax or allowed_softmax)(score, mask)
    used = weights if dropout is None else dropout(weights)
    return used @ value + torch.einsum("bhts,tsv->bhtv", used, far_value), weights


class RelativeAttention(AttentionLayer):
    """Relative attention: ``attn_course.reference.relative_attention``.

    Multi-head attention with a bias that the query chooses, query[t] . relative_key[r],
    and with the vectors of the distances added to the values. What it is called with:
    ``AttentionLayer``. Both tables have a row for every distance from -max_distance to
    max_distance, and all heads share them.

    Raises:
        ValueError: max_distance is negative, or a size not as ``AttentionLayer`` says.
    """

    Sizes = RelativeSizes
    own_softmax = own_scale = reads_positions = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        max_distance: int,
        use_bias: bool = False,
        **options: Any,
    ) -> None:
        options |= {"use_bias": use_bias, "own": {"max_distance": max_distance}}
        super().__init__(model_dim, num_heads, **options)
        widths = self.sizes.key_dim, self.sizes.value_dim
        for name, width in zip(("relative_key", "relative_value"), widths, strict=True):
            rows = self.query.weight.new_empty(2 * max_distance + 1, width)
            self.register_parameter(name, torch.nn.Parameter(rows))
            torch.nn.init.xavier_uniform_(rows)

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        super().reset_parameters()
        torch.nn.init.xavier_uniform_(self.relative_key)
        torch.nn.init.xavier_uniform_(self.relative_value)

    def attend(self, query, key, value, mask, *, bias, causal, need_weights, **options):
        mask = allowed_keys(query, key, mask, bias=bias, causal=causal)
        softmax, bias = with_bias(options.pop("softmax", None), bias)
        most = self.sizes.max_distance
        distance = key_distance(query.shape[2], key.shape[2], device=query.device)
        rows = distance.clamp(-most, most) + most
        tables = self.relative_key, self.relative_value
        far = [torch.nn.functional.embedding(rows, table) for table in tables]
        inputs = [x.to(wide(query.dtype)) for x in (query, key, value, *far)]
        options |= {"softmax": softmax, "bias": bias}
        context, weights = attention(*inputs, mask, **options)
        weights = weights.to(query.dtype) if need_weights else None
        return context.to(query.dtype), weights
