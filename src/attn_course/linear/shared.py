"""Checks and constants that the three implementations share. No framework."""

import numpy as np

from attn_course.shapes import (
    check_at_least,
    check_choice,
    check_floats,
    check_head_mask,
    check_shapes,
    dtype_name,
    shape_of,
)

FEATURE_MAPS = ("elu", "relu", "identity")
DECAYS = (None, "fixed", "learned")


def retention_decay(num_heads):
    """One decay a head, from 31/32 upwards, as RetNet fixes them: NumPy, (H,).

    decay[h] = 1 - 2 ** (-5 - h)

    >>> retention_decay(2)
    array([0.96875 , 0.984375])
    """
    check_at_least(1, num_heads=num_heads)
    return 1.0 - 2.0 ** (-5.0 - np.arange(num_heads))


def check_linear(query, key, value, mask=None, **gates):
    """Check query, key, value, a mask of padding, and numbers a key as a decay is.

    Raises:
        ValueError: a shape or dtype is wrong, or the mask has a row for each query.
    """
    given = {name: gate for name, gate in gates.items() if gate is not None}
    check_floats(query=query, key=key, value=value, **given)
    sizes = check_shapes(
        query=(query, "...TK"), key=(key, "...SK"), value=(value, "...SV")
    )
    check_padding(mask, (*sizes["..."], sizes["T"], sizes["S"]))
    wanted = (*sizes["..."], sizes["S"])
    for name, gate in given.items():
        check_per_key(name, gate, wanted)


def check_padding(mask, score):
    """Raise ValueError unless a mask is None or hides keys alike from all queries."""
    if mask is None:
        return
    check_head_mask(mask, score)
    shape = shape_of(mask)
    if shape[-2] != 1:
        wanted = f"hide a key from all queries, (B, 1, 1, S), {score[-1]} keys long"
        why = "what is summed before a query comes can't depend on it"
        raise ValueError(f"mask must {wanted}, got {shape}: {why}")


def check_per_key(name, gate, wanted):
    """Raise ValueError unless there is a number for each key: (..., S), or 1 for S."""
    shape = shape_of(gate)
    alike = len(shape) == len(wanted) and all(
        None in (size, full) or size in (1, full)
        for size, full in zip(shape, wanted, strict=True)
    )
    if not alike:
        need = f"(..., S) = {wanted}, an axis of 1 where it is shared"
        raise ValueError(f"{name} must have shape {need}, got {shape}")


def check_step(query, key, value, **gates):
    """Check one position: query, key (..., 1, K), value (..., 1, V), gates (..., 1)."""
    check_linear(query, key, value, **gates)
    check_shapes({"1": 1}, query=(query, "...1K"), key=(key, "...1K"))


def check_feature_map(feature_map):
    """Raise ValueError unless it is a name that is known, or a function."""
    if not callable(feature_map):
        check_choice("feature_map", feature_map, FEATURE_MAPS)


def check_gate_kind(decay):
    """Raise ValueError unless a layer's decay is one that it can have."""
    if decay not in DECAYS:
        choices = "None, 'fixed', 'learned'"
        raise ValueError(f"decay must be one of {choices}, got {decay!r}")


def check_no_options(kind, bias=None, dropout=None, weights=False):
    """Raise ValueError where a layer gets what its mechanism has no place for."""
    if bias is not None:
        why = f"{kind} forms no scores that it could be added to"
        raise ValueError(f"bias must be None: {why}, got {dtype_name(bias)}")
    if dropout is not None:
        raise ValueError(f"dropout must be 0: {kind} forms no weights to drop")
    if weights:
        raise ValueError(f"need_weights must be False: {kind} forms no weights")
