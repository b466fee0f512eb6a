"""Checks and constants that the three implementations share. No framework."""

import numpy as np

from attn_course.shapes import (
    check_at_least,
    check_attention,
    check_choice,
    check_floats,
    check_head_mask,
    check_shapes,
    shape_of,
)

FEATURE_MAPS = ("elu", "relu", "identity")
DECAYS = (None, "fixed", "learned")
# A learned decay begins near sigmoid(4) = 0.98: it must remember before it can forget.
FIRST_DECAY_BIAS = 4.0


def retention_decay(num_heads: int) -> np.ndarray:
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
    check_attention(query, key, value)
    *lead, S, _ = shape_of(key)
    check_padding(mask, (*lead, shape_of(query)[-2], S))
    for name, gate in given.items():
        check_floats(**{name: gate})  # of any precision: near 1 it matters
        check_per_key(name, gate, (*lead, S))


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


def check_decay_kind(decay):
    """Raise ValueError unless a layer's decay is one that it can have."""
    if decay not in DECAYS:
        choices = "None, 'fixed', 'learned'"
        raise ValueError(f"decay must be one of {choices}, got {decay!r}")
