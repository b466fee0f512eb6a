"""Sizes and checks of a cache that both frameworks share."""

from typing import Any

from attn_course.core.shapes import (
    check_at_least,
    check_floats,
    check_shapes,
    dtype_name,
    shape_of,
)


def cache_slots(
    batch: int,
    num_kv_heads: int,
    capacity: int | None,
    key_dim: int,
    value_dim: int,
    window: int | None,
    sinks: int,
) -> int:
    """How many positions a cache keeps: its capacity, or its window and sinks.

    Raises:
        ValueError: a size is not a whole number, or too small, or needs another.
    """
    check_at_least(1, batch=batch, num_kv_heads=num_kv_heads, key_dim=key_dim)
    check_at_least(0, value_dim=value_dim, sinks=sinks)
    if capacity is None and window is None:
        raise ValueError("capacity must be a whole number without a window, got None")
    if sinks and window is None:
        raise ValueError(f"sinks must be 0 without a window, got {sinks}")
    sizes = {"capacity": capacity, "window": window}
    check_at_least(1, **{name: x for name, x in sizes.items() if x is not None})
    if window is None:
        return capacity
    return sinks + window if capacity is None else min(capacity, sinks + window)


def check_chunk(
    store: Any, sizes: tuple, key: Any, value: Any, *, mixed: bool = False
) -> None:
    """Raise ValueError unless a chunk of keys and values fits the cache's sizes.

    mixed: the dtype may be another than the cache's, the same for both.
    """
    check_floats(**({} if mixed else {"cache": store}), key=key, value=value)
    letters = dict(zip("BGKV", sizes, strict=True))
    check_shapes(letters, key=(key, "BGTK"), value=(value, "BGTV"))


def is_half(x: Any) -> bool:
    """Whether x has 16 bits, so that float32 and float64 hold its every number."""
    return "16" in dtype_name(x)


def gradient_refused() -> ValueError:
    """The error for a gradient that is asked of what a cache holds."""
    mend = "Train without a cache, or decode under no_grad (TensorFlow: no tape)"
    return ValueError(f"cache must not stand in a gradient's way: {mend}")


def overflow(length: int, more: int, capacity: int) -> str:
    """The words for a chunk that a cache has no room for."""
    room = f"key must have at most {capacity - length} positions"
    return f"{room}, as {length} of {capacity} are taken, got {more}"


def check_truncate(length: Any, now: int | None, window: int | None) -> None:
    """Raise ValueError unless a cache can go back to so many positions.

    now: how many it has, or None in a graph, which can't look.
    """
    if window is not None:
        kept = "where each position took the place of another"
        raise ValueError(f"cache can't go back in a window of {window}, {kept}")
    check_at_least(0, length=length)
    if now is not None and length > now:
        raise ValueError(f"length must be at most {now}, what is kept, got {length}")


def check_columns(positions: Any, **arguments: Any) -> None:
    """Raise ValueError unless a mask and a bias cover so many keys, all keys so far.

    One column is none for all: it says nothing of the keys before the newest.
    """
    for name, x in arguments.items():
        if x is not None and shape_of(x)[-1] != positions:
            wanted = f"a column for each of the {positions} keys so far"
            raise ValueError(f"{name} must have {wanted}, got {shape_of(x)}")


def gap_refused() -> ValueError:
    """The error for padding between keys whose positions have gone on counting."""
    hint = "Positions count through padding; pad on the left"
    return ValueError(f"mask must not block keys between others. {hint}")


def cache_bytes(
    parts: list[tuple[int, ...]],
    context: int,
    *,
    batch: int = 1,
    bytes_per_value: float = 2,
) -> float:
    """The bytes that a whole model's keys and values take behind a context.

    bytes = sum over kinds of layers of layers * values * min(context, window)
            * batch * bytes_per_value

    Shapes:
        parts: per kind of layer (layers, values) or (layers, values, window). values:
        numbers per layer and position, 2 * num_kv_heads * key_dim, or with latents
        latent_dim + rope_dim.

    Raises:
        ValueError: there are no parts, or a size is not positive.

    >>> cache_bytes([(80, 2 * 8 * 128)], 1)  # Llama 2 with 70B parameters
    327680
    """
    check_at_least(1, context=context, batch=batch)
    if not parts:
        raise ValueError("parts must hold at least one kind of layer, got none")
    if not bytes_per_value > 0:
        raise ValueError(f"bytes_per_value must be above 0, got {bytes_per_value}")
    values = 0
    for layers, each, *window in parts:
        check_at_least(1, **{"layers of parts": layers, "values of parts": each})
        values += layers * each * min(context, *window, context)
    return values * batch * bytes_per_value


def check_pool(pool: Any, num_kv_heads: int, key_dim: int, value_dim: int) -> None:
    """Raise ValueError unless a pool's blocks have these sizes."""
    wanted, found = (num_kv_heads, key_dim, value_dim), pool.sizes
    if wanted != found:
        words = f"num_kv_heads, key_dim, value_dim = {wanted}"
        raise ValueError(f"pool must have {words}, got {found}")
