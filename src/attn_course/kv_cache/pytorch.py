"""The cache of keys and values in PyTorch; see ``attn_course.kv_cache``."""

from typing import Any

from attn_course.frameworks import torch
from attn_course.kv_cache.shared import (
    blocks_of,
    cache_slots,
    check_chunk,
    check_columns,
    gap_refused,
    overflow,
)
from attn_course.layers.pytorch import Mask, to_mask
from attn_course.shapes import check_at_least

__all__ = ["KVCache", "PagedKVCache"]


class KVCache:
    """The keys and values of all positions so far, in memory that is taken once.

    With ``window`` it keeps the last ``window`` positions and the first ``sinks``.

    Shapes:
        ``update(key (B, G, T, K), value (B, G, T, V))`` -> (B, G, S, K), (B, G, S, V),
        S positions so far or, with a window, those that a query of the chunk may see.

    Raises:
        ValueError: a size, shape or dtype is wrong, or the cache is full.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int | None,
        key_dim: int,
        value_dim: int | None = None,
        *,
        dtype: torch.dtype | None = None,
        device: Any = None,
        window: int | None = None,
        sinks: int = 0,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        self.sizes = batch, num_kv_heads, key_dim, value_dim
        slots = cache_slots(
            batch, num_kv_heads, capacity, key_dim, value_dim, window, sinks
        )
        self.capacity, self.window, self.sinks = capacity, window, sinks
        place = {"dtype": dtype, "device": device}
        self.key = torch.zeros(batch, num_kv_heads, slots, key_dim, **place)
        self.value = torch.zeros(batch, num_kv_heads, slots, value_dim, **place)
        self.length = 0

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""
        return self.key.nbytes + self.value.nbytes

    def reset(self) -> None:
        """Forget everything; the memory stays."""
        self.length = 0

    @torch.no_grad()
    def update(
        self, key: torch.Tensor, value: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write a chunk behind what is there; return what its queries may see."""
        start, end = self.extend(key, value)
        if self.window is None:
            self.key[:, :, start:end] = key
            self.value[:, :, start:end] = value
            return self.key[:, :, :end], self.value[:, :, :end]
        past = self.slots(self.kept(0, start, start - self.window + 1))
        new = self.kept(start, end, end - self.window)
        seen = []
        for store, chunk in ((self.key, key), (self.value, value)):
            seen.append(torch.cat([store[:, :, past], chunk], dim=2))
            store[:, :, self.slots(new)] = chunk[:, :, new - start]
        return tuple(seen)

    def limit(
        self, T: int, mask: Mask = None, bias: torch.Tensor | None = None
    ) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Mask and bias, over all keys so far, for what ``update`` will return.

        T is the number of positions in the chunk. Without a window they stay.
        """
        mask = to_mask(mask, self.key)
        if self.window is None:
            return mask, bias
        start, end = self.length, self.length + T
        check_columns(end, mask=mask, bias=bias)
        query = torch.arange(start, end, device=self.key.device)
        key = torch.cat([self.kept(0, start, start - self.window + 1), query])
        mask, bias = columns(mask, key), columns(bias, key)
        if T > 1:  # a single query sees all that is kept
            near = (key > query[:, None] - self.window) | (key < self.sinks)
            mask = near if mask is None else mask & near
        return mask, bias

    def next_position(self, mask: Mask = None) -> int:
        """Where the next chunk begins, for a rotary encoding.

        Raises:
            ValueError: padding (B, 1, 1, S) blocks keys between others, so that their
                positions are not those of the text. Compiled code can't look.
        """
        mask = to_mask(mask, self.key)
        looks = mask is not None and not torch.compiler.is_compiling()
        if looks and mask.ndim == 4 and mask.shape[1:3] == (1, 1):
            ended = (mask[..., :-1] & ~mask[..., 1:]).cumsum(-1) > 0
            if (ended & mask[..., 1:]).any():
                raise gap_refused()
        return self.length

    def extend(self, key, value):
        """The first position of a chunk and the one behind it, after checks."""
        check_chunk(self.key, self.sizes, key, value)
        start, T = self.length, key.shape[2]
        if self.capacity is not None and start + T > self.capacity:
            raise ValueError(overflow(start, T, self.capacity))
        self.length = start + T
        return start, start + T

    def kept(self, first, last, oldest):
        """The positions first .. last - 1 that are sinks, or not before oldest."""
        sinks = max(first, min(self.sinks, last))
        parts = (first, sinks), (max(sinks, oldest), last)
        return torch.cat([torch.arange(*x, device=self.key.device) for x in parts])

    def slots(self, positions):
        """Where positions stand: sinks first, then round and round."""
        ring = self.sinks + (positions - self.sinks) % self.window
        return torch.where(positions < self.sinks, positions, ring)


class PagedKVCache(KVCache):
    """The same in blocks of ``block_size`` positions that are taken when needed.

    A table says for every sequence which blocks are its own, so that a sequence wastes
    less than one block. What ``update`` returns is gathered; a kernel for paged
    attention would read the blocks where they are.

    Raises:
        ValueError: a size, shape or dtype is wrong, or the cache is full.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        block_size: int,
        dtype: torch.dtype | None = None,
        device: Any = None,
    ) -> None:
        check_at_least(1, block_size=block_size)
        place = {"dtype": dtype, "device": device}
        super().__init__(batch, num_kv_heads, capacity, key_dim, value_dim, **place)
        blocks = blocks_of(capacity, block_size)
        positions = batch * blocks * block_size
        self.block_size, self.used = block_size, 0
        self.table = torch.zeros(batch, blocks, dtype=torch.long, device=device)
        self.key, self.value = (
            x.new_zeros(positions, num_kv_heads, x.shape[-1])
            for x in (self.key, self.value)
        )

    @property
    def nbytes(self) -> int:
        """The bytes of the blocks in use."""
        position = self.key[0].nbytes + self.value[0].nbytes
        return self.used * self.block_size * position

    def reset(self) -> None:
        """Forget everything; all blocks are free again."""
        self.length = self.used = 0

    @torch.no_grad()
    def update(
        self, key: torch.Tensor, value: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write a chunk into the sequences' blocks; return all positions so far."""
        start, end = self.extend(key, value)
        self.take_blocks(start, end)
        seen = self.slots(torch.arange(end, device=self.table.device))
        self.key[seen[:, start:]] = key.transpose(1, 2)
        self.value[seen[:, start:]] = value.transpose(1, 2)
        return tuple(
            x[seen].transpose(1, 2).contiguous() for x in (self.key, self.value)
        )

    def take_blocks(self, start, end):
        """Enter the next free blocks into the table, as many as the chunk needs."""
        before, after = (blocks_of(x, self.block_size) for x in (start, end))
        batch, more = len(self.table), after - before
        free = self.used + torch.arange(batch * more, device=self.table.device)
        self.table[:, before:after] = free.reshape(more, batch).T
        self.used = self.used + batch * more

    def slots(self, positions):
        """Where positions stand in the pool, for every sequence: (B, S)."""
        block = self.table[:, positions // self.block_size]
        return block * self.block_size + positions % self.block_size


def columns(x, key):
    """The columns of a mask or bias for these keys; one column serves all."""
    return x if x is None or x.shape[-1] == 1 else x[..., key]
