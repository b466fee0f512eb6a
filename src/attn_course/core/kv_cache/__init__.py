"""Caches of keys and values: what was projected once, whole or in a ring.

keys[t], values[t] are computed once, when position t is read, and kept. A chunk of T
new positions attends to all S so far, the chunk among them: query i of the chunk stands
at i + S - T.

Public names, alike in ``pytorch`` and ``tf``:

    KVCache(batch, num_kv_heads, capacity, key_dim, value_dim=None, *,
            dtype=None, window=None, sinks=0)       PyTorch: also device=None

and the calculator ``attn_course.core.kv_cache.cache_bytes(parts, context, *, batch=1,
bytes_per_value=2)``: parts is a list with (layers, values) or (layers, values, window)
for each kind of layer, values the numbers that one of them keeps of a position.

Every layer takes one as ``cache=``; one with a window only where no pattern counts
places (``SlidingWindowAttention``: that of its own ``new_cache``, without sinks).
``attn_course.core.paged`` has one in blocks. A cache has ``update(key, value)``, which
writes a chunk and returns what its queries may see; ``limit(T, mask, bias)``, which
cuts a mask and a bias to that, and is asked before ``update``; ``next_position(mask)``,
where a rotary encoding goes on; ``length``, the positions so far; ``nbytes``;
``reset()``; ``truncate(length)``, which goes back, where that can be done: a window and
a state have given up what they would need, and refuse.

- The memory is taken once: capacity positions, or with a window ``sinks + window``. It
  is for inference: a gradient that reaches what it holds is refused by a ValueError.
- Half precision in a wider cache is kept exactly, and comes back as it came.
- A mask or bias covers all keys so far, also those that a window has given up; a mask
  of the newest alone, or one column for all, is refused.
- ``window`` = w: query i sees keys i - w + 1 .. i, and the first ``sinks`` positions.
  The slots are a ring: position p stands in slot sinks + (p - sinks) % window. What is
  returned is in the order of the positions. Capacity may be None then.
- Padding stands on the left, or it is masked wherever it is. Positions go on counting
  through padding on the right, so a layer with a rotary encoding refuses that.

There is no ``reference``: the specification is that a chunk gives the rows that the
attention over the whole sequence gives.

Sources: Shazeer 2019 (arXiv:1911.02150), section 2.4, incremental attention; Xiao et
al. 2023 (arXiv:2309.17453), attention sinks.
Differs: Xiao et al. count positions inside the cache; here keys keep their own.
"""

from attn_course.core.kv_cache.shared import cache_bytes

__all__ = ["cache_bytes"]
