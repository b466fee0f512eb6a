"""Blocks by name (block hash), and the places of a step's tokens in them."""

import hashlib
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from attn_course.core.paged.shared import Blocks


def name_of(content: Any, parent: bytes = b"") -> bytes:
    """The name (block hash) of a block after its parent: equal only for equal texts."""
    return hashlib.sha256(parent + repr(content).encode()).digest()


class PrefixCache:
    """Full blocks by name (block hash). It is one more holder of each.

    name = hash(name of the block before, tokens of the block)

    So equal names mean equal texts from the beginning on, at equal positions.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.known: OrderedDict[bytes, int] = OrderedDict()  # longest unused first

    def find(self, names: list[bytes]) -> list[int]:
        """Hold and return the blocks of the longest known beginning (prefix)."""
        found = []
        for name in names:
            if name not in self.known:
                break
            found.append(self.known[name])
        self.blocks.hold(found)
        return found

    def add(self, name: bytes, block: int) -> None:
        """Keep a full block; if two requests computed the same one, the first stays."""
        if name not in self.known:
            self.known[name] = block
            self.blocks.hold([block])

    def touch(self, names: list[bytes]) -> None:
        """Note that they were just used: the end of a text is given up first."""
        for name in reversed(names):
            if name in self.known:
                self.known.move_to_end(name)

    def make_room(self, wanted: int) -> None:
        """Give up (evict) blocks only it holds until so many are free, if it can."""
        for name, block in [*self.known.items()]:
            if len(self.blocks.free) >= wanted:
                return
            if self.blocks.holders[block] == 1:
                del self.known[name]
                self.blocks.release([block])


class Batch(NamedTuple):
    """The tokens of all requests in one row, as numbers for the pass.

    tokens, position, place (N): what is read, its position in its text, where its
    key and value go; last (R): each request's last; groups: the requests that read one
    token, then those that read a piece, as ``group_of`` has them.
    """

    tokens: np.ndarray
    position: np.ndarray
    place: np.ndarray
    last: np.ndarray
    groups: tuple[tuple[np.ndarray, ...], ...]


def batch_of(spans: list[tuple[Any, int]], size: int) -> Batch:
    """What a pass reads, in one row: work done token by token needs no padding."""
    requests, counts = zip(*spans, strict=True)
    tokens = [r.tokens[r.read : r.read + n] for r, n in spans]
    position = [np.arange(r.read, r.read + n) for r, n in spans]
    place = [places(r, x, size) for r, x in zip(requests, position, strict=True)]
    flat = (np.concatenate(x) for x in (tokens, position, place))
    ends = np.cumsum(counts)
    rows = [*zip(requests, ends - counts, counts, strict=True)]
    ones, pieces = ([x for x in rows if (x[2] == 1) == one] for one in (True, False))
    return Batch(*flat, ends - 1, (group_of(ones, size), group_of(pieces, size)))


def group_of(rows, size):
    """The queries (B, T) of rows (request, first, count), their keys (B, S), the mask.

    T is the longest piece, S the longest text. A shorter one repeats its last query,
    and place 0, which the mask (B, 1, T, S) hides.
    """
    columns = [[r.read, first, count] for r, first, count in rows]
    read, first, count = np.array(columns, np.int64).reshape(-1, 3).T[..., None]
    own = np.minimum(np.arange(count.max(initial=0)), count - 1)
    seen = np.zeros((len(rows), (read + count).max(initial=0)), np.int64)
    for row, (request, _, more) in zip(seen, rows, strict=True):
        end = request.read + more
        row[:end] = places(request, np.arange(end), size)
    mask = np.arange(seen.shape[1]) <= (read + own)[..., None]
    return first + own, seen, mask[:, None]


def places(request: Any, position: np.ndarray, size: int) -> np.ndarray:
    """Where positions of a text are among those of all blocks (slot mapping)."""
    return np.array(request.table)[position // size] * size + position % size
