"""Caches in blocks: keys and values of many sequences, in one pool of memory.

A pool owns N blocks of P positions each. A table says which blocks belong to a
sequence: its position p stands in block table[p // P] at place p % P.

A server reserves no memory for lengths that it does not know: a sequence takes a block
when it needs one, wastes less than one, and gives all back at its end. Sequences that
begin alike share the blocks of the beginning.

Public names, alike in ``pytorch`` and ``tf``:

    BlockPool(blocks, num_kv_heads, key_dim, value_dim=None, *, block_size,
              dtype=None)                           PyTorch: also device=None
    PagedKVCache(batch, num_kv_heads, capacity, key_dim, value_dim=None, *,
                 block_size, dtype=None, pool=None) PyTorch: also device=None
    paged_attention(query (B, H, T, K), caches, *, count=None, scale=None)
        -> (B, H, T, V)

``pool.new_cache(capacity, batch=1)`` is a ``PagedKVCache``: a ``cache=`` of any layer,
as ``attn_course.core.kv_cache`` says, with ``fork()``, a second one that shares what
was read so far, and ``free()``. Its ``update`` hands over a copy of all its positions
in one piece, as a layer wants it; ``append`` only writes, and ``paged_attention`` reads
the blocks where they are. ``pool.nbytes`` is what is allocated, ``pool.num_free`` how
many blocks are free, and a cache's own ``nbytes`` what its blocks take, shared or not.

- ``model.new_cache(batch, capacity, pool=pool)``, as a layer's, takes blocks of one
  pool: each layer has its own table.
- ``paged_attention`` takes also what caches say, (pool, table, length), and with
  ``count`` sequences that ask for different numbers of positions in one call.
- A block that somebody else holds is never written to: a fork copies its last, partly
  filled block before it writes behind it (copy on write).
- ``take(rows)``, for a beam, copies nothing: rows that go on from one share its blocks.
- A pool counts a block as often as it is named, and refuses to take what is not free or
  to release or hold what nobody holds.
- ``truncate(length)`` goes back, and what is written then reaches nobody else.
- A chunk for which the pool has no blocks is refused by a ValueError, and nothing is
  changed.

There is no ``reference``: the specification is the cache in one piece.

Source: Kwon et al. 2023 (arXiv:2309.06180), sections 4.1 to 4.4.
"""
