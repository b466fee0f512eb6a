"""The cache in blocks in PyTorch; see ``attn_course.core.paged``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.pytorch import KVCache
from attn_course.core.kv_cache.shared import check_pool
from attn_course.core.paged.shared import (
    blocks_of,
    check_caches,
    check_queries,
    count_turns,
    in_numpy,
    lengths_of,
    nobody_holds,
    pool_empty,
)
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_at_least
from attn_course.core.split_keys.pytorch import merge

__all__ = ["BlockPool", "PagedKVCache", "paged_attention"]


class BlockPool:
    """The memory of many caches: ``blocks`` blocks of ``block_size`` positions.

    Shapes:
        ``key`` (N * P, G, K), ``value`` (N * P, G, V): N blocks of P positions.

    Raises:
        ValueError: a size is too small.
    """

    def __init__(
        self,
        blocks: int,
        num_kv_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        block_size: int,
        dtype: torch.dtype | None = None,
        device: Any = None,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        check_at_least(1, blocks=blocks, num_kv_heads=num_kv_heads)
        check_at_least(1, key_dim=key_dim, block_size=block_size)
        check_at_least(0, value_dim=value_dim)
        self.sizes, self.block_size = (num_kv_heads, key_dim, value_dim), block_size
        place, lead = {"dtype": dtype, "device": device}, (blocks * block_size,)
        self.key = torch.zeros(*lead, num_kv_heads, key_dim, **place)
        self.value = torch.zeros(*lead, num_kv_heads, value_dim, **place)
        # The free blocks are a stack, of which the last is taken first.
        self.stack = torch.arange(blocks - 1, -1, -1, device=device)
        self.num_free = blocks
        self.holders = torch.zeros_like(self.stack)

    @property
    def nbytes(self) -> int:
        """The bytes of all blocks, free or not: what is allocated."""
        return self.key.nbytes + self.value.nbytes

    def new_cache(self, capacity: int, batch: int = 1) -> "PagedKVCache":
        """An empty cache for at most ``capacity`` positions per sequence."""
        num_kv_heads, *widths = self.sizes
        return PagedKVCache(batch, num_kv_heads, capacity, *widths, pool=self)

    def take(self, count):
        """So many free blocks; from now on they have a holder."""
        left = self.num_free - count
        if left < 0:
            raise ValueError(pool_empty(count, self.num_free))
        taken = self.stack[left : left + count].flip(0)
        self.num_free = left
        self.holders[taken] = 1
        return taken

    def hold(self, blocks):
        """One holder more for each of the blocks (n), a tensor."""
        if (self.holders[blocks] < 1).any():
            raise ValueError(nobody_holds(blocks[self.holders[blocks] < 1]))
        self.holders += self.count(blocks)

    def release(self, blocks):
        """One holder less for each of the blocks (n), a tensor; none left is free."""
        less = self.count(blocks)
        if (self.holders < less).any():
            raise ValueError(nobody_holds((self.holders < less).nonzero()[:, 0]))
        self.holders -= less
        free = ((less > 0) & (self.holders == 0)).nonzero()[:, 0].flip(0)
        self.stack[self.num_free : self.num_free + len(free)] = free
        self.num_free += len(free)

    def count(self, blocks):
        """How often each block of the pool is named: (N,)."""
        return torch.bincount(blocks, minlength=len(self.holders))

    def places(self, blocks):
        """Where the positions of blocks (...,) stand: (..., P)."""
        start = blocks[..., None] * self.block_size
        return start + torch.arange(self.block_size, device=blocks.device)


class PagedKVCache(KVCache):
    """A ``KVCache`` in blocks that it takes from a pool when it needs them.

    pool: shared with other caches, and ``block_size``, ``dtype`` and ``device`` are the
    pool's; by default one of its own, just large enough.

    After a ``fork`` the next chunk decides which blocks to copy by looking at them,
    which ``torch.compile(fullgraph=True)`` refuses.

    Raises:
        ValueError: a size, shape or dtype is wrong, the cache is full, or its pool has
            no block left.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        block_size: int | None = None,
        dtype: torch.dtype | None = None,
        device: Any = None,
        pool: BlockPool | None = None,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        sizes = num_kv_heads, key_dim, value_dim
        if pool is None:
            check_at_least(1, batch=batch, capacity=capacity, block_size=block_size)
            blocks = batch * blocks_of(capacity, block_size)
            options = {"block_size": block_size, "dtype": dtype, "device": device}
            pool = BlockPool(blocks, *sizes, **options)
        check_pool(pool, *sizes)
        self.pool, self.block_size = pool, pool.block_size
        super().__init__(batch, num_kv_heads, capacity, key_dim, value_dim)
        columns = blocks_of(capacity, self.block_size)
        self.table = pool.stack.new_zeros(batch, columns)
        self.forked = False

    def memory(self, slots, **place):
        """The pool's."""
        return self.pool.key, self.pool.value

    @property
    def used(self) -> int:
        """How many blocks it holds."""
        return len(self.table) * blocks_of(self.length, self.block_size)

    @property
    def nbytes(self) -> int:
        """The bytes of its blocks, those that it shares among them."""
        position = self.key[0].nbytes + self.value[0].nbytes
        return self.used * self.block_size * position

    def free(self) -> None:
        """Forget everything; blocks that nobody else holds are free again."""
        self.truncate(0)

    reset = free

    def truncate(self, length: int) -> None:
        """Go back to the first ``length`` positions; blocks behind them are let go."""
        held = self.held()
        super().truncate(length)
        self.pool.release(held[:, self.held().shape[1] :].flatten())
        self.forked = self.shares()

    def fork(self) -> "PagedKVCache":
        """A second cache with the same past, in the same blocks."""
        other = self.pool.new_cache(self.capacity, batch=len(self.table))
        other.table, other.length = self.table.clone(), self.length
        self.pool.hold(self.held().flatten())
        self.forked = other.forked = True
        return other

    def take(self, rows: torch.Tensor) -> None:
        """Go on with these rows (B) of the batch; where they are one, they share."""
        held, self.table = self.held().flatten(), self.table[rows]
        self.pool.hold(self.held().flatten())
        self.pool.release(held)
        self.forked = self.shares()

    def append(self, key: torch.Tensor, value: torch.Tensor) -> None:
        """Write a chunk (B, G, T, K), (B, G, T, V) behind what is there."""
        with torch.no_grad():
            self.put(*self.extend(key, value), key, value)

    def write(self, start, end, key, value):
        """Put the chunk into the sequences' blocks; a copy of all positions so far."""
        self.put(start, end, key, value)
        seen = self.slots(torch.arange(end, device=self.table.device))
        return tuple(
            x[seen].transpose(1, 2).contiguous() for x in (self.key, self.value)
        )

    def put(self, start, end, key, value):
        """Write the positions start .. end - 1 into blocks that nobody else holds."""
        if self.forked:
            self.copy_last(start)
        before, after = (blocks_of(x, self.block_size) for x in (start, end))
        taken = self.pool.take(len(self.table) * (after - before))
        self.table[:, before:after] = taken.reshape(after - before, len(self.table)).T
        new = self.slots(torch.arange(start, end, device=self.table.device))
        self.key[new] = key.transpose(1, 2).to(self.key.dtype)
        self.value[new] = value.transpose(1, 2).to(self.value.dtype)

    def extend(self, key, value):
        """As ``KVCache`` has it; refused before anything is changed."""
        start, end = super().extend(key, value)
        before, after = (blocks_of(x, self.block_size) for x in (start, end))
        wanted = len(self.table) * (after - before)
        if self.forked:
            wanted += len(self.shared_last(start))
        if wanted > self.pool.num_free:
            self.length = start
            raise ValueError(pool_empty(wanted, self.pool.num_free))
        return start, end

    def copy_last(self, start):
        """Own copies of partly filled last blocks that somebody else holds too."""
        rows = self.shared_last(start)
        old, new = self.last(start)[rows], self.pool.take(len(rows))
        for store in (self.key, self.value):
            store[self.pool.places(new)] = store[self.pool.places(old)]
        self.table[rows, start // self.block_size] = new
        self.pool.release(old)
        self.forked = False

    def shares(self):
        """Whether somebody else holds a block of a sequence."""
        return bool((self.pool.holders[self.held()] > 1).any())

    def shared_last(self, start):
        """The sequences that have to copy a partly filled last block.

        Of the rows that share one the first may keep it, if nobody else holds it.
        """
        if start % self.block_size == 0:
            return self.table.new_zeros(0)
        last = self.last(start)
        row = torch.arange(len(last), device=last.device)
        same = last[:, None] == last
        others = self.pool.holders[last] > same.sum(1)
        return (others | (same & (row < row[:, None])).any(1)).nonzero()[:, 0]

    def last(self, start):
        """Each sequence's block for position start."""
        return self.table[:, start // self.block_size]

    def held(self):
        """The blocks in use: (B, N)."""
        return self.table[:, : blocks_of(self.length, self.block_size)]

    def slots(self, positions):
        """Where positions stand in the pool, for every sequence: (B, S)."""
        block = self.table[:, positions // self.block_size]
        return block * self.block_size + positions % self.block_size


def paged_attention(
    query: torch.Tensor,
    caches: list[PagedKVCache] | tuple[BlockPool, torch.Tensor, torch.Tensor],
    *,
    count: torch.Tensor | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention of the newest positions over blocks, without a copy in one piece.

    One block of every part of every sequence at a time: what it adds to the output and
    to the sum of exponentials, merged with the blocks before it by the highest score so
    far; at the end the parts are merged in the same way. The sequences may have
    different lengths; query i of T stands at length - T + i and sees what is not behind
    it.

    Shapes:
        query (B, H, T, K): the rows of all caches, in their order -> (B, H, T, V).
        caches: of one pool, with the keys and values of these queries appended; or what
        they say: a pool, a table (B, N) of its blocks, and lengths (B).
        count (B): how many of its T queries a sequence has, the last ones; what stands
        before them gives zeros. None: all.

    Raises:
        ValueError: a shape is wrong, or the caches have several pools.

    Source: Kwon et al. 2023 (arXiv:2309.06180), section 4.1, equation 4; the merge is
        Milakov and Gimelshein 2018 (arXiv:1805.02867), algorithm 3.
    """
    pool, table, length = caches if isinstance(caches, tuple) else joined(caches)
    check_queries(query, pool, table, lengths_of(caches), in_numpy(count))
    (G, K, _), (B, H, T, _), dtype = pool.sizes, query.shape, query.dtype
    query = query.reshape(B, G, H // G, T, K) * (K**-0.5 if scale is None else scale)
    query = query.to(wide(dtype))
    row = torch.arange(T, device=length.device)
    newest = length[:, None] - T + row  # (B, T)
    if count is not None:
        newest = newest.where(row >= T - count[:, None], -1)
    table = in_turns(table, turns_of(table, pool.block_size))
    parts, turns = table.shape[1:]
    start = torch.arange(parts, device=table.device) * turns
    highest, total, output = torch.finfo(query.dtype).min, 0.0, 0.0
    for n in range(turns):
        places = pool.places(table[..., n])  # (B, N, P): a block of each part
        key, value = (x[places].to(query.dtype) for x in (pool.key, pool.value))
        score = torch.einsum("bghtk,bnpgk->bnghtp", query, key)
        position = pool.places(start + n)[:, None]  # (N, 1, P)
        seen = position <= newest[:, None, :, None]  # (B, N, T, P)
        score = score.masked_fill(~seen[:, :, None, None], -torch.inf)
        new = score.amax(-1, keepdim=True).clamp(min=highest)
        kept, part = torch.exp(highest - new), torch.exp(score - new)
        total = kept * total + part.sum(-1, keepdim=True)
        output = kept * output + torch.einsum("bnghtp,bnpgv->bnghtv", part, value)
        highest = new
    return merge(highest, total, output, axis=1).reshape(B, H, T, -1).to(dtype)


def turns_of(table, block_size):
    """In how many turns the blocks of a table are read."""
    return count_turns(table.shape[1], block_size, table.is_cuda)


def in_turns(blocks, turns):
    """(B, N) -> (B, parts, turns); what fills the last part stands behind the end."""
    parts = blocks_of(blocks.shape[1], turns)
    more = parts * turns - blocks.shape[1]
    return torch.nn.functional.pad(blocks, (0, more)).unflatten(1, (parts, turns))


def joined(caches):
    """The pool, the tables (B, N) and the lengths (B,) of all caches as one."""
    pool = check_caches(caches)
    columns = max(cache.held().shape[1] for cache in caches)
    tables, lengths = [], []
    for cache in caches:
        more = columns - cache.held().shape[1]
        tables.append(torch.nn.functional.pad(cache.held(), (0, more)))
        lengths.append(cache.table.new_full((len(cache.table),), cache.length))
    return pool, torch.cat(tables), torch.cat(lengths)
