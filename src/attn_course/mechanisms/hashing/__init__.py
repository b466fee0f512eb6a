"""Hashing: attention within buckets of similar vectors (LSH attention of Reformer).

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

Shapes: query_key (..., S, K), value (..., S, V); mask is padding, (B, 1, 1, S),
or ``document_numbers``: each of them is hashed and cut into chunks as if alone;
rotations (rounds, K, buckets / 2).

Layer: ``LSHAttention``. Parameters: ``query_weight``, ``value_weight``,
``output_weight`` and biases as in ``MultiHeadAttention``, and ``rotations``.

Sources: Kitaev, Kaiser & Levskaya 2020 (arXiv:2001.04451); reversible layers: Gomez et
al. 2017 (arXiv:1707.04585).
"""

from attn_course.core.declaration import (
    NARROW_SIZES,
    UNDROPPED,
    UNEVEN,
    Form,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="lsh_attention",
        layer="LSHAttention",
        paper="Kitaev, Kaiser & Levskaya 2020, section 2",
        chapter="12_low_rank_and_hashing",
        family="low rank, hashing",
        time="O(n log n + n c d)",
        memory="O(n c)",
        steps="O(log n)",
        path="by chance",
        orders="Wang et al. 2020, Table 1",
        form=Form({"query": "BTD"}, "B11T", blocked=("query",)),
        sizes=NARROW_SIZES
        | {"memory_dim": (13, 13), "num_buckets": 2, "num_rounds": 2, "chunk_size": 4},
        weights=False,
        padding=True,
        jumps=True,
        options=UNDROPPED,
        refuses=("bias", "cache"),
        wrong=(UNEVEN, ({"num_buckets": 3}, "num_buckets")),
        timed=Timed("own", 8192),
    ),
)
