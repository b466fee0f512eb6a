"""The checks that the relative attention of all three implementations shares."""

from attn_course.positional.checks import check_at_least
from attn_course.shapes import check_floats, check_head_mask, check_shapes


def check_relative(query, key, value, mask, *, model_dim, num_heads):
    """Raise ValueError unless the inputs fit; returns the size of every letter."""
    check_floats(query=query, key=key, value=value)
    sizes = check_shapes(
        {"D": model_dim}, query=(query, "BTD"), key=(key, "BSD"), value=(value, "BSD")
    )
    if mask is not None:
        check_head_mask(mask, (sizes["B"], num_heads, sizes["T"], sizes["S"]))
    return sizes


def head_widths(model_dim, num_heads, max_distance, key_dim, value_dim):
    """The widths of a key and of a value in one head, where None is the equal share.

    Raises:
        ValueError: a size is too small, or model_dim has no equal shares.
    """
    check_at_least(1, model_dim=model_dim, num_heads=num_heads)
    check_at_least(0, max_distance=max_distance)
    if None in (key_dim, value_dim) and model_dim % num_heads:
        shares = f"a multiple of num_heads = {num_heads}"
        raise ValueError(f"model_dim must be {shares}, got {model_dim}")
    share = model_dim // num_heads
    widths = [share if width is None else width for width in (key_dim, value_dim)]
    check_at_least(1, key_dim=widths[0], value_dim=widths[1])
    return widths
