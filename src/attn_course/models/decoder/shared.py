"""Checks that the decoders of both frameworks share."""

from typing import Any

from attn_course.core.shapes import Together, check_not_empty

PAIR = Together("DE", x="BTD", memory="BSE")


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
    PAIR.check((model_dim, memory_dim), x, memory, mixed=mixed)
    sizes = {"T": x.shape[1], "S": memory.shape[1]}
    if 0 in sizes.values():
        check_not_empty(sizes, T="x", S="memory")
