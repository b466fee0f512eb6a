"""LSH attention (Reformer): attend only to what falls into the same bucket.

Queries and keys are the same vectors. A vector's bucket is the random direction, or
its opposite, that it is most alike; vectors at a small angle share a bucket often. The
positions are sorted by bucket and cut into chunks, and each attends, within its bucket,
to its own chunk and the one before. Several rounds of hashing find what one misses.

- ``lsh_buckets(x, rotations)`` -> (..., rounds, S)
- ``lsh_attention(query_key, value, mask=None, *, num_buckets, num_rounds=1,
  chunk_size=None, seed=0, rotations=None, causal=False)`` -> output, and in
  ``reference`` the weights
- ``ReversibleLayers(pairs)``: residual layers whose inputs are computed back from their
  outputs, in place of being kept

Shapes: query_key (..., S, K), value (..., S, V); mask is padding, (B, 1, 1, S);
rotations (rounds, K, buckets / 2).

Layer: ``LSHAttention``. Parameters: ``query_weight``, ``value_weight``,
``output_weight`` and biases as in ``MultiHeadAttention``, and ``rotations``.

Sources: Kitaev, Kaiser & Levskaya 2020 (arXiv:2001.04451); reversible layers: Gomez et
al. 2017 (arXiv:1707.04585).
"""
