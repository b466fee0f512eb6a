"""Sums over the past, chunk by chunk: what several causal mechanisms compute with.

    sums[t] = sum over s <= t of decay[s..t] * (query[t] . key[s]) * value[s]

Inside a chunk of C positions by its C x C products, before it by a state (F, V) that
holds what all earlier chunks add up to: O(S C) where all pairs are O(S^2), and a few
large products where a step per position is many small ones.

- ``sum_up(query, key, value, log_decay=None, causal=False, chunk_size=128)``
  -> the sums (..., T, V), and the sums of the similarities alone (..., T, 1)
- ``chunks``, ``pad``, ``decay_in_chunk``, ``decay_between``: its parts
- ``over_chunks``: chunk after chunk, where no product does it
- ``before``, ``before_maps``: the state before each chunk, of all chunks at once
- ``shared.chunks_at_once``: for a comparison, which way; a GPU takes all at once
- ``check_gates``: whether what is kept is a share

It is no mechanism of its own: ``attn_course.mechanisms.linear``, ``delta_rule``,
``random_features`` and ``hashing`` build on it, and their references prove it.
"""
