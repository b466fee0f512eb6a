"""Sizes and checks of differential attention."""

from dataclasses import dataclass
from typing import Any

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import (
    check_attention,
    check_positive,
    check_shapes,
    check_share,
    shape_of,
)

INITIAL, EPSILON = 0.8, 1e-5
SPREAD = 0.1  # of the vectors that make lambda, at first


@dataclass(frozen=True, kw_only=True)
class DifferentialSizes(HeadSizes):
    """What is taken away at first, and what is added to a mean square."""

    lambda_init: float
    epsilon: float

    def __post_init__(self):
        check_halves(self.lambda_init, self.epsilon, key_dim=self.key_dim)

    @property
    def rotary_dim(self) -> int:
        return self.key_dim // 2

    normed_dim = rotary_dim


def check_halves(lambda_init: Any, epsilon: Any, **width: Any) -> None:
    """Raise ValueError unless the numbers are right and a width has two halves."""
    check_share(lambda_init=lambda_init)
    check_positive(epsilon=epsilon)
    for name, size in width.items():
        if size is not None and size % 2:
            raise ValueError(f"{name} must be even, two halves, got {size}")


def check_differential(
    heads: tuple,
    mask: Any,
    lambdas: dict[str, Any],
    lambda_init: Any,
    epsilon: Any,
    bias: Any = None,
) -> None:
    """Check the arguments; heads: query, key and value.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_attention(*heads, mask, bias)
    width = shape_of(heads[0])[-1]
    check_halves(lambda_init, epsilon, query=width)
    sizes = {"P": 2} | ({} if width is None else {"K": width // 2})
    check_shapes(sizes, **{name: (x, "PK") for name, x in lambdas.items()})
