"""Sizes and checks that the layers of both frameworks share."""

from typing import Any

from attn_course.shapes import (
    check_at_least,
    check_floats,
    check_shapes,
    check_share,
    dtype_name,
)


def head_config(
    model_dim: int,
    num_heads: int,
    key_dim: int | None,
    value_dim: int | None,
    memory_dim: int | tuple[int, int] | None,
    use_bias: bool,
    dropout: float,
) -> dict[str, Any]:
    """What a layer over heads is built from, defaults filled in.

    Raises:
        ValueError: a size is not a whole number of at least 1, model_dim isn't
            divisible by num_heads where key_dim is None, or dropout is no share.
    """
    check_at_least(1, model_dim=model_dim, num_heads=num_heads)
    if key_dim is None and model_dim % num_heads:
        wanted = f"divisible by num_heads = {num_heads} where key_dim is None"
        raise ValueError(f"model_dim must be {wanted}, got {model_dim}")
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
    if not isinstance(use_bias, bool):
        raise ValueError(f"use_bias must be True or False, got {use_bias!r}")
    return {
        "model_dim": int(model_dim),  # also of NumPy: a Keras file takes Python's own
        "num_heads": int(num_heads),
        "key_dim": int(key_dim),
        "value_dim": int(value_dim),
        "memory_dim": tuple(map(int, memory_dim)),
        "use_bias": use_bias,
        "dropout": dropout,
    }


def check_groups(num_heads: int, num_kv_heads: int) -> int:
    """How many query heads share a key/value head; ValueError if unequal."""
    check_at_least(1, num_kv_heads=num_kv_heads)
    if num_heads % num_kv_heads:
        wanted = f"a divisor of num_heads = {num_heads}"
        raise ValueError(f"num_kv_heads must be {wanted}, got {num_kv_heads}")
    return num_heads // num_kv_heads


def check_inputs(
    config: dict[str, Any],
    query: Any,
    key: Any,
    value: Any,
    head_mask: Any = None,
    *,
    mixed: bool = False,
) -> None:
    """Raise ValueError unless query, key and value fit a layer over heads.

    Mask and bias are checked where the scores are formed, by ``check_attention``.
    mixed: their dtypes may differ.
    """
    q, k, v = (getattr(x, "shape", ()) for x in (query, key, value))
    memory_dim = config["memory_dim"]
    # Most calls are right: what is compared here costs little, and names nothing.
    if not (
        len(q) == len(k) == len(v) == 3
        and q[0] == k[0] == v[0]
        and k[1] == v[1]
        and (q[2], (k[2], v[2])) == (config["model_dim"], memory_dim)
        and (mixed or query.dtype == key.dtype == value.dtype)
        and "float" in dtype_name(query)
    ):
        check_shapes(
            {"D": config["model_dim"], "E": memory_dim[0], "F": memory_dim[1]},
            query=(query, "BTD"),
            key=(key, "BSE"),
            value=(value, "BSF"),
        )
        inputs = {"query": query, "key": key, "value": value}
        for group in [{name: x} for name, x in inputs.items()] if mixed else [inputs]:
            check_floats(**group)
    if head_mask is not None:
        check_head_share(head_mask, q[0], config["num_heads"])


def check_head_share(head_mask: Any, batch: Any, num_heads: int) -> None:
    """Raise ValueError unless head_mask is (H) or (B, H), boolean or floating."""
    spec = "H" if len(getattr(head_mask, "shape", ())) == 1 else "BH"
    check_shapes({"B": batch, "H": num_heads}, head_mask=(head_mask, spec))
    dtype = dtype_name(head_mask)
    if dtype != "bool" and "float" not in dtype:
        raise ValueError(f"head_mask must be bool or floating, got {dtype}")


def check_divisible(name: str, width: int | None, num_heads: int) -> None:
    """Raise ValueError unless a width can be cut into num_heads equal parts."""
    check_at_least(1, num_heads=num_heads)
    if width is not None and width % num_heads:
        wanted = f"a width divisible by num_heads = {num_heads}"
        raise ValueError(f"{name} must have {wanted}, got {width}")


def check_supported(layer: str, **options: Any) -> None:
    """Raise ValueError if an option is given that a mechanism can't take."""
    for name, option in options.items():
        if option is not None and option is not False:
            raise ValueError(f"{name} is not supported by {layer}, got one")


def spell_config(config: dict) -> str:
    """The sizes of a layer for its printed form, without those of no effect."""
    shown = {name: x for name, x in config.items() if x not in (None, 0.0)}
    return ", ".join(f"{name}={x}" for name, x in shown.items())
