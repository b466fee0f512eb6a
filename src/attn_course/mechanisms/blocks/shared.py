"""Sizes and checks that the sparse patterns share."""

from dataclasses import fields

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_attention


def own_sizes(sizes):
    """The sizes of a pattern by name, without those of every layer over heads."""
    common = {field.name for field in fields(HeadSizes)}
    return {
        field.name: getattr(sizes, field.name)
        for field in fields(sizes)
        if field.name not in common
    }


def check_pattern(query, key, value, mask=None, *, rows=False):
    """Check what a pattern is given; the mask may be padding alone.

    query is (..., T, K), key (..., S, K), value (..., S, V), mask (..., 1, S) with
    leading axes of the same size or 1. rows None: or numbers of documents.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or T, S or K is 0.
    """
    check_attention(query, key, value, mask, rows=rows)


def check_unweighted(bias):
    """Raise ValueError for a bias: it acts on scores, which are never formed."""
    if bias is not None:
        raise ValueError("bias needs all scores, which this pattern never forms")


def check_not_causal(causal):
    """Raise ValueError if a pattern that looks both ways is to be causal."""
    if causal:
        raise ValueError("causal must be False: this pattern looks both ways")
