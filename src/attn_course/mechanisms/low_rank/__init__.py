"""Low rank: keys and values mixed down to a few, whatever the length (Linformer).

    output = softmax(query (key_projection key)^T / sqrt(K)) (value_projection value)

The weights are T x R instead of T x S: time and memory grow as the length. Each of the
R projected keys is a mixture of all positions, so it can't be causal, a mask can only
be padding, and the length is bounded by the projection's columns.

- ``linformer_attention(query, key, value, mask=None, *, key_projection,
  value_projection=None, scale=None, need_weights=True, softmax=None)`` -> output,
  weights (..., T, R); the specification has neither of the last two

Shapes: query (..., T, K), key (..., S, K), value (..., S, V); projections (R, S), or
(H, R, S) for one a head; mask (B, 1, 1, S).

Layer: ``LinformerAttention``. Parameters: those of ``MultiHeadAttention``,
``key_projection`` and, unless it is shared with the keys, ``value_projection``.

Source: Wang et al. 2020 (arXiv:2006.04768).
"""

from attn_course.core.declaration import (
    NARROW_SIZES,
    UNDROPPED,
    UNEVEN,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="linformer_attention",
        layer="LinformerAttention",
        paper="Wang et al. 2020, section 4",
        chapter="12_low_rank_and_hashing",
        family="low rank, hashing",
        time="O(n k d)",
        memory="O(n k)",
        orders="Wang et al. 2020, Table 1",
        sizes=NARROW_SIZES | {"length": 7, "rank": 3},
        padding=True,
        options=UNDROPPED | {"sharing": ("none", "heads", "key_value")},
        wrong=(UNEVEN,),
        refuses=("causal", "bias"),
        fixed="S",
        timed=Timed("own", 8192),
    ),
)
