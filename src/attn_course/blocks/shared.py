"""Checks that the sparse patterns share."""

from attn_course.shapes import check_attention, check_head_mask, shape_of


def check_pattern(query, key, value, mask=None):
    """Check what a pattern is given; the mask may be padding alone.

    query is (..., T, K), key (..., S, K), value (..., S, V), mask (..., 1, S) with
    leading axes of the same size or 1.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or T, S or K is 0.
    """
    check_attention(query, key, value)
    if mask is None:
        return
    *lead, T, _ = shape_of(query)
    score = (*lead, T, shape_of(key)[-2])
    check_head_mask(mask, score)
    shape = shape_of(mask)
    if len(shape) != len(score) or shape[-2] != 1:
        wanted = (*lead, 1, score[-1])
        raise ValueError(
            f"mask must be padding, {wanted} or with 1 for leading axes (what else "
            f"a query sees is the pattern's to say), got {shape}"
        )


def half_of_heads(query):
    """Half of the heads of a query (..., H, T, K); ValueError unless H is even."""
    shape = shape_of(query)
    if len(shape) < 3 or shape[-3] is None or shape[-3] % 2:
        raise ValueError(f"query must have an even number of heads, got {shape}")
    return shape[-3] // 2


def check_half(heads, num_heads):
    """Raise ValueError unless heads that are split can be."""
    if heads == "split" and num_heads % 2:
        raise ValueError(f"num_heads must be even to be split, got {num_heads}")


def check_unweighted(bias=None, need_weights=True, dropout=None):
    """Raise ValueError for what acts on scores or weights, which are never formed."""
    for name, came in {"bias": bias, "dropout": dropout}.items():
        if came is not None:
            raise ValueError(f"{name} needs all scores, which this pattern never forms")


def check_not_causal(causal):
    """Raise ValueError if a pattern that looks both ways is to be causal."""
    if causal:
        raise ValueError("causal must be False: this pattern looks both ways")
