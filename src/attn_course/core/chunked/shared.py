"""Whether all chunks are computed at once or in turn, and in groups of how many."""

from collections.abc import Iterator
from contextlib import contextmanager

GROUP = 64  # chunks whose decays make one square

_wanted: bool | None = None


@contextmanager
def chunks_at_once(wanted: bool) -> Iterator[None]:
    """Inside, all chunks at once or one after the other, whatever the device.

    For tests and comparisons: the numbers are the same to rounding. Without it a CPU
    goes one after the other, where what belongs to a chunk stays in the cache; a GPU
    takes all at once, where each turn of a loop would wait for its small kernels.
    """
    global _wanted
    before, _wanted = _wanted, wanted
    try:
        yield
    finally:
        _wanted = before


def choose(on_cpu: bool) -> bool:
    """Whether all at once: as asked for, else wherever it is not a CPU."""
    return not on_cpu if _wanted is None else _wanted
