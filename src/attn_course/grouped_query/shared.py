"""Checks and sizes of grouped queries that all three implementations share."""

from attn_course.shapes import (
    check_at_least,
    check_choice,
    check_floats,
    check_head_mask,
    check_shapes,
)

METHODS = ("mean", "first", "random")


def check_groups(query, key, value, mask=None, bias=None):
    """Check the arguments of a grouped attention; return H and G.

    Raises:
        ValueError: a shape or dtype is wrong, or G does not divide H.
    """
    check_floats(query=query, key=key, value=value)
    sizes = check_shapes(
        query=(query, "BHTK"), key=(key, "BGSK"), value=(value, "BGSV")
    )
    H, G = sizes["H"], sizes["G"]
    if None not in (H, G):
        check_share("key", H, G)
    if mask is not None:
        check_head_mask(mask, [sizes[letter] for letter in "BHTS"])
    return H, G


def check_share(name, num_heads, num_kv_heads):
    """Raise ValueError unless all groups of heads are of one size."""
    check_at_least(1, num_kv_heads=num_kv_heads)
    if num_heads % num_kv_heads:
        few = f"a number of heads that divides {num_heads}"
        raise ValueError(f"{name} must have {few}, got {num_kv_heads}")


def check_conversion(sizes, kv_heads, num_kv_heads, method):
    """Raise ValueError unless a layer with so many key heads can be grouped so."""
    check_choice("method", method, METHODS)
    check_at_least(1, num_kv_heads=num_kv_heads)
    if kv_heads % num_kv_heads:
        few = f"num_kv_heads must divide the layer's {kv_heads} key heads"
        raise ValueError(f"{few}, got {num_kv_heads}")
    return sizes | {"num_kv_heads": num_kv_heads}
