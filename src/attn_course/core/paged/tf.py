"""The cache in blocks in TensorFlow; see ``attn_course.core.paged``."""

from typing import Any

from attn_course.core.frameworks import tf
from attn_course.core.kv_cache.shared import check_pool
from attn_course.core.kv_cache.tf import KVCache, bytes_of, scatter, zeros
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
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_at_least
from attn_course.core.split_keys.tf import merge

__all__ = ["BlockPool", "PagedKVCache", "paged_attention"]


class BlockPool(tf.Module):
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
        dtype: Any = None,
    ) -> None:
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        check_at_least(1, blocks=blocks, num_kv_heads=num_kv_heads)
        check_at_least(1, key_dim=key_dim, block_size=block_size)
        check_at_least(0, value_dim=value_dim)
        self.sizes, self.block_size = (num_kv_heads, key_dim, value_dim), block_size
        lead = blocks * block_size, num_kv_heads
        self.key = zeros((*lead, key_dim), dtype)
        self.value = zeros((*lead, value_dim), dtype)
        # The free blocks are a stack, of which the last is taken first.
        self.stack = tf.Variable(tf.range(blocks - 1, -1, -1), trainable=False)
        self.num_free = tf.Variable(blocks, trainable=False)
        self.holders = zeros((blocks,), "int32")

    @property
    def nbytes(self) -> int:
        """The bytes of all blocks, free or not: what is allocated."""
        return bytes_of(self.key) + bytes_of(self.value)

    def new_cache(self, capacity: int, batch: int = 1) -> "PagedKVCache":
        """An empty cache for at most ``capacity`` positions per sequence."""
        num_kv_heads, *widths = self.sizes
        return PagedKVCache(batch, num_kv_heads, capacity, *widths, pool=self)

    def take(self, count):
        """So many free blocks; from now on they have a holder."""
        left = tf.identity(self.num_free) - count
        if tf.executing_eagerly() and left < 0:
            raise ValueError(pool_empty(int(count), int(self.num_free)))
        tf.debugging.assert_non_negative(left, "pool is empty")
        taken = tf.reverse(self.stack[left : left + count], [0])
        self.num_free.assign(left)
        self.holders.scatter_nd_update(taken[:, None], tf.ones_like(taken))
        return taken

    def hold(self, blocks):
        """One holder more for each of the blocks (n), a tensor."""
        more = self.count(blocks)
        check_held((more > 0) & (self.holders < 1))
        self.holders.assign_add(more)

    def release(self, blocks):
        """One holder less for each of the blocks (n), a tensor; none left is free."""
        less = self.count(blocks)
        check_held(self.holders < less)
        self.holders.assign_sub(less)
        free = tf.where((less > 0) & (self.holders == 0))[:, 0]
        free = tf.cast(free, blocks.dtype)
        start = tf.identity(self.num_free)
        end = start + tf.shape(free)[0]
        self.stack[start:end].assign(tf.reverse(free, [0]))
        self.num_free.assign(end)

    def count(self, blocks):
        """How often each block of the pool is named: (N,)."""
        none = tf.zeros_like(self.holders)
        return tf.tensor_scatter_nd_add(none, blocks[:, None], tf.ones_like(blocks))

    def places(self, blocks):
        """Where the positions of blocks (...,) stand: (..., P)."""
        return blocks[..., None] * self.block_size + tf.range(self.block_size)


class PagedKVCache(KVCache):
    """A ``KVCache`` in blocks that it takes from a pool when it needs them.

    pool: shared with other caches, and ``block_size`` and ``dtype`` are the pool's; by
    default one of its own, just large enough.

    Raises:
        ValueError: a size, shape or dtype is wrong, the cache is full, or its pool has
            no block left; inside ``tf.function`` the last two are an
            ``InvalidArgumentError``.
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
        dtype: Any = None,
        pool: BlockPool | None = None,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        sizes = num_kv_heads, key_dim, value_dim
        if pool is None:
            check_at_least(1, batch=batch, capacity=capacity, block_size=block_size)
            blocks = batch * blocks_of(capacity, block_size)
            pool = BlockPool(blocks, *sizes, block_size=block_size, dtype=dtype)
        check_pool(pool, *sizes)
        self.pool, self.block_size = pool, pool.block_size
        super().__init__(batch, num_kv_heads, capacity, key_dim, value_dim)
        columns = blocks_of(capacity, self.block_size)
        self.table = zeros((batch, columns), "int32")

    def memory(self, slots, **place):
        """The pool's."""
        return self.pool.key, self.pool.value

    @property
    def used(self) -> int:
        """How many blocks it holds."""
        return self.table.shape[0] * blocks_of(int(self.length), self.block_size)

    @property
    def nbytes(self) -> int:
        """The bytes of its blocks, those that it shares among them."""
        position = bytes_of(self.key[0]) + bytes_of(self.value[0])
        return self.used * self.block_size * position

    def free(self) -> None:
        """Forget everything; blocks that nobody else holds are free again."""
        self.truncate(0)

    reset = free

    def truncate(self, length: int) -> None:
        """Go back to the first ``length`` positions; blocks behind them are let go."""
        held = self.held()
        super().truncate(length)
        let_go = held[:, tf.shape(self.held())[1] :]
        self.pool.release(tf.reshape(let_go, [-1]))

    def fork(self) -> "PagedKVCache":
        """A second cache with the same past, in the same blocks."""
        other = self.pool.new_cache(self.capacity, batch=self.table.shape[0])
        other.table.assign(self.table)
        other.length.assign(self.length)
        self.pool.hold(tf.reshape(self.held(), [-1]))
        return other

    def take(self, rows: tf.Tensor) -> None:
        """Go on with these rows (B) of the batch; where they are one, they share."""
        held = tf.reshape(self.held(), [-1])
        self.table.assign(tf.gather(self.table, rows))
        self.pool.hold(tf.reshape(self.held(), [-1]))
        self.pool.release(held)

    def append(self, key: tf.Tensor, value: tf.Tensor) -> None:
        """Write a chunk (B, G, T, K), (B, G, T, V) behind what is there."""
        self.put(*self.extend(key, value), key, value)

    def write(self, start, end, key, value):
        """Put the chunk into the sequences' blocks; a copy of all positions so far."""
        self.put(start, end, key, value)
        seen = self.slots(tf.range(end))
        return tuple(
            tf.transpose(tf.gather(x, seen), (0, 2, 1, 3))
            for x in (self.key, self.value)
        )

    def put(self, start, end, key, value):
        """Write the positions start .. end - 1 into blocks that nobody else holds."""
        self.copy_last(start)
        before, after = (blocks_of(x, self.block_size) for x in (start, end))
        batch, more = self.table.shape[0], after - before
        taken = tf.reshape(self.pool.take(batch * more), (more, batch))
        self.table[:, before:after].assign(tf.transpose(taken))
        new = self.slots(tf.range(start, end))[..., None]
        for store, chunk in ((self.key, key), (self.value, value)):
            chunk = tf.cast(chunk, store.dtype)
            scatter(store, new, tf.transpose(chunk, (0, 2, 1, 3)))

    def extend(self, key, value):
        """As ``KVCache`` has it; refused before anything is changed."""
        start, end = super().extend(key, value)
        before, after = (blocks_of(x, self.block_size) for x in (start, end))
        wanted = self.table.shape[0] * (after - before)
        wanted += tf.shape(self.shared_last(start))[0]
        if tf.executing_eagerly() and wanted > self.pool.num_free:
            self.length.assign(start)
            raise ValueError(pool_empty(int(wanted), int(self.pool.num_free)))
        enough = tf.debugging.Assert(wanted <= self.pool.num_free, ["pool is empty"])
        with tf.control_dependencies([] if enough is None else [enough]):
            return start, tf.identity(end)

    def copy_last(self, start):
        """Own copies of partly filled last blocks that somebody else holds too."""
        rows = self.shared_last(start)
        old, new = tf.gather(self.last(start), rows), self.pool.take(tf.size(rows))
        for store in (self.key, self.value):
            kept = tf.gather(store, self.pool.places(old))
            scatter(store, self.pool.places(new)[..., None], kept)
        column = tf.fill(tf.shape(rows), start // self.block_size)
        self.table.scatter_nd_update(tf.stack([rows, column], axis=1), new)
        self.pool.release(old)

    def shared_last(self, start):
        """The sequences that have to copy a partly filled last block.

        Of the rows that share one the first may keep it, if nobody else holds it.
        """
        last, row = self.last(start), tf.range(self.table.shape[0])
        same = last[:, None] == last
        holders = tf.gather(self.pool.holders, last)
        others = holders > tf.reduce_sum(tf.cast(same, "int32"), 1)
        shared = others | tf.reduce_any(same & (row < row[:, None]), 1)
        shared &= start % self.block_size != 0
        return tf.cast(tf.where(shared)[:, 0], tf.int32)

    def last(self, start):
        """Each sequence's block for position start; behind the end, its last one."""
        column = tf.minimum(start // self.block_size, self.table.shape[1] - 1)
        return self.table[:, column]

    def held(self):
        """The blocks in use: (B, N)."""
        return self.table[:, : blocks_of(tf.identity(self.length), self.block_size)]

    def slots(self, positions):
        """Where positions stand in the pool, for every sequence: (B, S)."""
        block = tf.gather(self.table, positions // self.block_size, axis=1)
        return block * self.block_size + positions % self.block_size


def check_held(free):
    """Raise ValueError where blocks (N,) are held or released that are free."""
    if tf.executing_eagerly() and tf.reduce_any(free):
        raise ValueError(nobody_holds(tf.where(free)[:, 0].numpy()))
    tf.debugging.assert_equal(free, False, "blocks that nobody holds")


def paged_attention(
    query: tf.Tensor,
    caches: list[PagedKVCache] | tuple[BlockPool, tf.Tensor, tf.Tensor],
    *,
    count: tf.Tensor | None = None,
    scale: float | None = None,
) -> tf.Tensor:
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
    (G, K, V), (B, H, T, _), dtype = pool.sizes, query.shape, query.dtype
    query = tf.cast(query, wide(dtype))
    query = tf.reshape(query, (B, G, H // G, T, K))
    query *= K**-0.5 if scale is None else scale
    newest = length[:, None] - T + tf.range(T)  # (B, T)
    if count is not None:
        newest = tf.where(tf.range(T) >= T - count[:, None], newest, -1)
    table = in_turns(table, turns_of(table, pool.block_size))
    parts, turns = table.shape[1:]
    highest, total, output = query.dtype.min, 0.0, 0.0
    for n in range(turns):
        places = pool.places(table[..., n])  # (B, N, P): a block of each part
        key, value = (
            tf.cast(tf.gather(x, places), query.dtype) for x in (pool.key, pool.value)
        )
        score = tf.einsum("bghtk,bnpgk->bnghtp", query, key)
        position = pool.places(tf.range(parts) * turns + n)[:, None]  # (N, 1, P)
        seen = position <= newest[:, None, :, None]  # (B, N, T, P)
        score = tf.where(seen[:, :, None, None], score, -float("inf"))
        new = tf.maximum(highest, tf.reduce_max(score, axis=-1, keepdims=True))
        kept, part = tf.exp(highest - new), tf.exp(score - new)
        total = kept * total + tf.reduce_sum(part, axis=-1, keepdims=True)
        output = kept * output + tf.einsum("bnghtp,bnpgv->bnghtv", part, value)
        highest = new
    output = merge(highest, total, output, axis=1)
    return tf.cast(tf.reshape(output, (B, H, T, V)), dtype)


def turns_of(table, block_size):
    """In how many turns the blocks of a table are read."""
    on_gpu = bool(tf.config.list_physical_devices("GPU"))
    return count_turns(table.shape[1], block_size, on_gpu)


def in_turns(blocks, turns):
    """(B, N) -> (B, parts, turns); what fills the last part stands behind the end."""
    parts = blocks_of(blocks.shape[1], turns)
    blocks = tf.pad(blocks, ((0, 0), (0, parts * turns - blocks.shape[1])))
    return tf.reshape(blocks, (-1, parts, turns))


def joined(caches):
    """The pool, the tables (B, N) and the lengths (B,) of all caches as one."""
    pool = check_caches(caches)
    columns = max(cache.held().shape[1] for cache in caches)
    tables, lengths = [], []
    for cache in caches:
        more = columns - cache.held().shape[1]
        tables.append(tf.pad(cache.held(), ((0, 0), (0, more))))
        lengths.append(tf.fill((cache.table.shape[0],), tf.identity(cache.length)))
    return pool, tf.concat(tables, axis=0), tf.concat(lengths, axis=0)
