"""Checks that the decoders of both frameworks share."""

from typing import Any

from attn_course.core.shapes import check_floats, check_not_empty, check_shapes


def unread(memory: Any) -> Any:
    """What of a memory (B, S, E) its cache does not hold: (B, 0, E), no position.

    The cache that ``new_cache(memory, ...)`` fills holds the keys and values of the
    whole memory, so that cross-attention has nothing new to project.
    """
    return memory[:, :0]


def check_pair(
    x: Any, memory: Any, model_dim: int, memory_dim: int, *, mixed: bool = False
) -> None:
    """Raise ValueError unless x (B, T, D) and memory (B, S, E) go together.

    mixed: their dtypes may differ.
    """
    letters = {"D": model_dim, "E": memory_dim}
    sizes = check_shapes(letters, x=(x, "BTD"), memory=(memory, "BSE"))
    for group in (
        [{"x": x}, {"memory": memory}] if mixed else [{"x": x, "memory": memory}]
    ):
        check_floats(**group)
    check_not_empty(sizes, T="x", S="memory")
