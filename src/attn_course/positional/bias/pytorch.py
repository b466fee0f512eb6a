"""Biases from the distance of two positions in PyTorch. Formulas: ``reference.py``."""

from attn_course.frameworks import torch
from attn_course.positional.bias.rules import bucket_table, head_slopes
from attn_course.shapes import check_at_least


def alibi_slopes(num_heads, *, dtype=None, device=None):
    """See ``attn_course.reference.alibi_slopes``. A dtype of None is float32."""
    dtype = torch.float32 if dtype is None else dtype
    return torch.tensor(head_slopes(num_heads), dtype=dtype, device=device)


def alibi_bias(num_heads, T, S, *, dtype=None, device=None):
    """See ``attn_course.reference.alibi_bias``. A dtype of None is float32.

    Computed in float32 or more.
    """
    dtype = torch.float32 if dtype is None else dtype
    wide = torch.promote_types(dtype, torch.float32)
    slopes = alibi_slopes(num_heads, dtype=wide, device=device)
    distance = key_distance(T, S, device=device).abs()
    return (-slopes[:, None, None] * distance).to(dtype)


def key_distance(T, S, *, device=None):
    """See ``attn_course.positional.bias.reference.key_distance``."""
    queries = torch.arange(S - T, S, device=device)
    return torch.arange(S, device=device) - queries[:, None]


def relative_buckets(
    T, S, *, num_buckets=32, max_distance=128, bidirectional=True, device=None
):
    """See ``attn_course.reference.relative_buckets``."""
    options = {"num_buckets": num_buckets, "max_distance": max_distance}
    table = bucket_table(**options, bidirectional=bidirectional)
    return _look_up(torch.tensor(table, device=device), T, S)


def _look_up(table, T, S):
    """The entry of every pair's distance; beyond the table's ends, the end's."""
    most = len(table) // 2
    distance = key_distance(T, S, device=table.device)
    return table[distance.clamp(-most, most) + most]


class AlibiBias(torch.nn.Module):
    """The bias of ALiBi: ``attn_course.reference.alibi_bias``; nothing is learned.

    Shapes:
        T, S -> (1, H, T, S), in the dtype and on the device of the module. With the
        batch axis, PyTorch's attention takes its fused kernel; with three axes not.

    Raises:
        ValueError: num_heads is below 1.
    """

    def __init__(self, num_heads):
        super().__init__()
        check_at_least(1, num_heads=num_heads)
        self.num_heads = num_heads
        # No parameters: an empty buffer remembers where `.to(...)` sent the module.
        self.register_buffer("place", torch.empty(0), persistent=False)

    def forward(self, T, S):
        place = {"dtype": self.place.dtype, "device": self.place.device}
        return alibi_bias(self.num_heads, T, S, **place)[None]


class RelativeBias(torch.nn.Module):
    """The bias of T5: ``attn_course.reference.relative_bias``.

    Shapes:
        T, S -> (1, H, T, S).

    Raises:
        ValueError: a size is not as ``relative_buckets`` demands.
    """

    def __init__(
        self, num_heads, *, num_buckets=32, max_distance=128, bidirectional=True
    ):
        super().__init__()
        check_at_least(1, num_heads=num_heads)
        options = {"num_buckets": num_buckets, "max_distance": max_distance}
        table = torch.tensor(bucket_table(**options, bidirectional=bidirectional))
        self.register_buffer("table", table, persistent=False)
        self.weight = torch.nn.Parameter(torch.empty(num_buckets, num_heads))
        torch.nn.init.normal_(self.weight, std=0.02)

    def forward(self, T, S):
        bias_TSH = torch.nn.functional.embedding(
            _look_up(self.table, T, S), self.weight
        )
        return bias_TSH.permute(2, 0, 1)[None]
