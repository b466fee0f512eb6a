"""Sizes and checks that the sparse patterns share."""

from dataclasses import fields

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_attention, check_head_mask, shape_of


def own_sizes(sizes):
    """The sizes of a pattern by name, without those of every layer over heads."""
    common = {field.name for field in fields(HeadSizes)}
    return {
        field.name: getattr(sizes, field.name)
        for field in fields(sizes)
        if field.name not in common
    }


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


def check_unweighted(bias=None, need_weights=True, dropout=None):
    """Raise ValueError for what acts on scores or weights, which are never formed."""
    for name, came in {"bias": bias, "dropout": dropout}.items():
        if came is not None:
            raise ValueError(f"{name} needs all scores, which this pattern never forms")


def check_not_causal(causal):
    """Raise ValueError if a pattern that looks both ways is to be causal."""
    if causal:
        raise ValueError("causal must be False: this pattern looks both ways")
