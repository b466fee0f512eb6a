"""Checks and constants that the three implementations share. No framework."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import (
    check_arrays,
    check_at_least,
    check_attention,
    check_choice,
    check_flags,
    check_floats,
    check_head_mask,
    check_shapes,
    check_unit,
    dtype_name,
    shape_of,
)

FeatureMap = Literal["elu", "relu", "identity"]
FEATURE_MAPS = get_args(FeatureMap)
Decay = Literal["fixed", "learned"]
DECAYS = (None, *get_args(Decay))
# A learned decay begins near sigmoid(4) = 0.98: it must remember before it can forget.
FIRST_DECAY_BIAS = 4.0


class State(NamedTuple):
    """What a layer remembers: as the step of its function has it, after some steps."""

    memory: Any
    length: Any


class StateCache:
    """The state of a layer as its ``cache=``: what is remembered does not grow.

    ``length`` is the positions so far; ``reset`` forgets them.
    """

    def __init__(self, state: State, gather: Callable) -> None:
        self.first = self.state = state
        self.gather = gather  # (x, rows) -> these rows of x

    @property
    def length(self) -> Any:
        return self.state.length

    @property
    def nbytes(self) -> int:
        """The bytes of what is remembered."""
        sizes = [(x.shape, dtype_name(x)) for x in parts_of(self.state.memory)]
        return sum(math.prod(shape) * np.dtype(name).itemsize for shape, name in sizes)

    def take(self, rows: Any) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        memory, length = self.state
        found = tuple(self.gather(x, rows) for x in parts_of(memory))
        self.state = State(found if isinstance(memory, tuple) else found[0], length)

    def reset(self) -> None:
        """Forget everything."""
        self.state = self.first

    def truncate(self, length: int) -> None:
        """Raise ValueError: positions that a state has taken in can't be taken out."""
        raise ValueError("cache can't go back in a state: keep the state of before")


def parts_of(memory: Any) -> tuple:
    """The tensors of a memory: of linear attention two, of the delta rule one."""
    return memory if isinstance(memory, tuple) else (memory,)


def check_reading(layer, query, key, value, causal, **refused):
    """Raise ValueError unless a call with a state is of one input, and causal."""
    check_supported(f"{layer} with a state", **refused)
    if not causal:
        raise ValueError("causal must be True with a state: it knows no later key")
    if key is not query or value is not query:
        raise ValueError("key and value must be the query's input with a state")


@dataclass(frozen=True, kw_only=True)
class DecaySizes(HeadSizes):
    decay: str | None
    decays: ClassVar = DECAYS

    def __post_init__(self):
        check_decay_kind(self.decay, self.decays)

    @property
    def learned(self) -> int:
        """How many decays a head learns: none, one, or one for each column of a key."""
        return {"learned": 1, "columns": self.key_dim}.get(self.decay, 0)


@dataclass(frozen=True, kw_only=True)
class LinearSizes(DecaySizes):
    feature_map: FeatureMap | Callable
    normalize: bool
    epsilon: float

    def __post_init__(self):
        super().__post_init__()
        check_feature_map(self.feature_map)
        check_flags(normalize=self.normalize)


def retention_decay(num_heads: int) -> np.ndarray:
    """One decay a head, from 31/32 upwards, as RetNet fixes them: NumPy, (H,).

    decay[h] = 1 - 2 ** (-5 - h)

    >>> retention_decay(2)
    array([0.96875 , 0.984375])
    """
    check_at_least(1, num_heads=num_heads)
    return 1.0 - 2.0 ** (-5.0 - np.arange(num_heads))


def check_linear(query, key, value, mask=None, *, columns=(), numbers=False, **gates):
    """Check query, key, value, a mask of padding, and numbers a key as a decay is.

    columns: the names of those that may have one for each column of a key instead.
    numbers: whether the mask may be numbers of documents.

    Raises:
        ValueError: a shape or dtype is wrong, the mask has a row for each query, or a
            gate of NumPy is not from 0 to 1.
    """
    given = {name: gate for name, gate in gates.items() if gate is not None}
    check_attention(query, key, value)
    *lead, S, K = shape_of(key)
    check_padding(mask, (*lead, shape_of(query)[-2], S), numbers=numbers)
    for name, gate in given.items():
        check_floats(**{name: gate})  # of any precision: near 1 it matters
        each = name in columns and len(shape_of(gate)) == len(shape_of(key))
        check_per_key(name, gate, (*lead, S, K) if each else (*lead, S))
        if isinstance(gate, np.ndarray) and gate.size:  # a framework reads its own
            check_unit(name, gate.min(), gate.max())


def check_padding(mask, score, *, numbers=False):
    """Raise ValueError unless a mask is None or hides keys alike from all queries."""
    if mask is None:
        return
    shape = shape_of(mask)
    numbers = numbers and shape[-2:-1] == (1,)
    check_head_mask(mask, score, rows=None if numbers else True)
    if shape[-2] != 1:
        wanted = f"hide a key from all queries, (B, 1, 1, S), {score[-1]} keys long"
        why = "what is summed before a query comes can't depend on it"
        raise ValueError(f"mask must {wanted}, got {shape}: {why}")


def check_per_key(name, gate, wanted):
    """Raise ValueError unless there is a number for each key, or for each column."""
    shape = shape_of(gate)
    alike = len(shape) == len(wanted) and all(
        None in (size, full) or size in (1, full)
        for size, full in zip(shape, wanted, strict=True)
    )
    if not alike:
        need = f"(..., S) = {wanted}, an axis of 1 where it is shared"
        raise ValueError(f"{name} must have shape {need}, got {shape}")


def check_delta(query, key, value, mask, beta, decay, chunk_size=1, *, numbers=False):
    """``check_linear`` with the gates of the delta rule, and its chunk."""
    check_at_least(1, chunk_size=chunk_size)
    check_arrays(beta=beta)
    options = {"columns": ("decay",), "numbers": numbers}
    check_linear(query, key, value, mask, beta=beta, decay=decay, **options)


def check_step(query, key, value, **gates):
    """Check one position: query, key (..., 1, K), value (..., 1, V), gates (..., 1)."""
    check_linear(query, key, value, **gates)
    check_shapes({"1": 1}, query=(query, "...1K"), key=(key, "...1K"))


def check_feature_map(feature_map):
    """Raise ValueError unless it is a name that is known, or a function."""
    if not callable(feature_map):
        check_choice("feature_map", feature_map, FEATURE_MAPS)


def check_decay_kind(decay, kinds=DECAYS):
    """Raise ValueError unless a layer's decay is one that it can have."""
    if decay not in kinds:
        choices = ", ".join(map(repr, kinds))
        raise ValueError(f"decay must be one of {choices}, got {decay!r}")
