"""Checks that the three implementations share. No framework."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_at_least, check_choice, check_shapes, shape_of
from attn_course.mechanisms.linear.shared import check_linear

Sharing = Literal["none", "heads", "key_value"]
SHARING = get_args(Sharing)


@dataclass(frozen=True, kw_only=True)
class LinformerSizes(HeadSizes):
    length: int
    rank: int
    sharing: str

    def __post_init__(self):
        check_at_least(1, length=self.length, rank=self.rank)
        check_choice("sharing", self.sharing, SHARING)


def check_linformer(
    query: Any, key: Any, value: Any, mask: Any, key_projection: Any, values: Any
) -> None:
    """Check the arguments of Linformer attention; values: the value's projection.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_linear(query, key, value, mask)
    shape = shape_of(key)
    sizes = {"S": shape[-2]}
    if len(shape) > 2:
        sizes["H"] = shape[-3]
    named = {"key_projection": key_projection, "value_projection": values}
    for name, x in named.items():
        if x is not None:
            per_head = len(getattr(x, "shape", ())) == 3
            found = check_shapes(sizes, **{name: (x, "HRS" if per_head else "RS")})
            sizes["R"] = found["R"]


def check_linformer_call(
    bias: Any, causal: Any, dropout: Any, found: int | None, length: int
) -> None:
    """Raise ValueError where the layer is asked for what it can't do."""
    layer = "LinformerAttention"
    check_supported(layer, bias=bias, dropout=dropout)
    if causal is not False:
        why = "every projected key is a mixture of all positions, the later ones too"
        raise ValueError(f"causal must be False for {layer}: {why}, got {causal!r}")
    if found is not None and found > length:
        raise ValueError(f"key must have at most length = {length} keys, got {found}")
