"""Sizes of attention over heads: a frozen record, checked once, read by name.

A mechanism with sizes of its own extends it, once for both frameworks:

    @dataclass(frozen=True, kw_only=True)
    class WindowSizes(HeadSizes):
        window: int

        def __post_init__(self):
            check_at_least(1, window=self.window)
"""

from dataclasses import asdict, dataclass
from typing import Any, Self

from attn_course.core.layer.shared import check_groups
from attn_course.core.shapes import (
    check_at_least,
    check_flags,
    check_positive,
    check_share,
)


@dataclass(frozen=True, kw_only=True)
class HeadSizes:
    """What a layer over heads is built from; ``of`` fills the defaults in."""

    model_dim: int
    num_heads: int
    num_kv_heads: int
    key_dim: int
    value_dim: int
    memory_dim: tuple[int, int]  # of key and of value
    use_bias: bool
    dropout: float
    scale: float | None = None  # None is 1 / sqrt(key_dim)
    value_norm: float | None = None  # epsilon of the values' norm; None is no norm

    @classmethod
    def of(
        cls,
        model_dim: int,
        num_heads: int,
        num_kv_heads: int | None,
        key_dim: int | None,
        value_dim: int | None,
        memory_dim: int | tuple[int, int] | None,
        use_bias: bool,
        dropout: float,
        scale: float | None,
        value_norm: float | None,
        own: dict[str, Any] | None,
    ) -> Self:
        """The sizes, with what a layer's caller left out; own: those of a mechanism.

        Raises:
            ValueError: a size is not a whole number of at least 1, model_dim isn't
                divisible by num_heads where key_dim is None, num_kv_heads does not
                divide num_heads, dropout is no share, scale or value_norm not positive.
        """
        check_at_least(1, model_dim=model_dim, num_heads=num_heads)
        if key_dim is None and model_dim % num_heads:
            wanted = f"divisible by num_heads = {num_heads} where key_dim is None"
            raise ValueError(f"model_dim must be {wanted}, got {model_dim}")
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        check_groups(num_heads, num_kv_heads)
        key_dim = model_dim // num_heads if key_dim is None else key_dim
        value_dim = key_dim if value_dim is None else value_dim
        check_at_least(1, key_dim=key_dim, value_dim=value_dim)
        memory_dim = model_dim if memory_dim is None else memory_dim
        if not isinstance(memory_dim, tuple | list):
            memory_dim = (memory_dim, memory_dim)
        if len(memory_dim) != 2:
            wanted = "a size, or two: of key and of value"
            raise ValueError(f"memory_dim must be {wanted}, got {memory_dim}")
        for width in memory_dim:
            check_at_least(1, memory_dim=width)
        check_share(dropout=dropout)
        given = {"scale": scale, "value_norm": value_norm}
        given = {name: x for name, x in given.items() if x is not None}
        check_positive(**given)
        check_flags(use_bias=use_bias)
        return cls(  # int: also of NumPy, a Keras file takes Python's own
            model_dim=int(model_dim),
            num_heads=int(num_heads),
            num_kv_heads=int(num_kv_heads),
            key_dim=int(key_dim),
            value_dim=int(value_dim),
            memory_dim=(int(memory_dim[0]), int(memory_dim[1])),
            use_bias=use_bias,
            dropout=dropout,
            **{name: float(x) for name, x in given.items()},
            **(own or {}),
        )

    @property
    def kept(self) -> tuple[int, int, int]:
        """What a cache keeps of a position: heads, widths of key and of value."""
        return self.num_kv_heads, self.key_dim, self.value_dim

    @property
    def rotary_dim(self) -> int:
        """How many columns ``rotary`` gets."""
        return self.key_dim

    @property
    def normed_dim(self) -> int:
        """How many columns ``query_key_norm`` gets."""
        return self.key_dim

    def config(self) -> dict[str, Any]:
        """The constructor's arguments; of the last three those that say more."""
        config = asdict(self)
        if self.num_kv_heads == self.num_heads:
            del config["num_kv_heads"]
        for name in ("scale", "value_norm"):
            if config[name] is None:
                del config[name]
        return config
