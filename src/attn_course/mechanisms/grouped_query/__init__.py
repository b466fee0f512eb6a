"""Grouped-query attention: several heads of the query share one of key and value.

    head h attends to key head and value head h // (H / G)

G = H is multi-head attention, G = 1 multi-query attention. What a decoder keeps of
each position, its keys and values, shrinks by H / G; the scores stay as many. The heads
of a group are folded into the axis of the positions, so keys and values are never
repeated in memory.

Public names, alike in ``reference``, ``pytorch`` and ``tf``:

    grouped_query_attention(query, key, value, mask=None, *, ...)

in ``reference`` the whole layer, ``grouped_query_layer(query, key, value, parameters,
*, num_heads, num_kv_heads, value_norm=None, mask=None, causal=False)``; in
``pytorch`` and ``tf``:

    GroupedQueryAttention(model_dim, num_heads, *, num_kv_heads, ...)
        from_keras(layer) in ``tf``
    to_grouped(layer, num_kv_heads, method="mean")

Shapes: query (B, H, T, K), key (B, G, S, K), value (B, G, S, V); output (B, H, T, V),
weights (B, H, T, S). Parameters: those of ``multi_head``, where ``key_weight`` is
(E, G*K), ``value_weight`` (E, G*V), and their biases (G*K) and (G*V).

Sources: Shazeer 2019, "Fast Transformer decoding: one write-head is all you need"
(arXiv:1911.02150); Ainslie et al. 2023, "GQA: training generalized multi-query
Transformer models from multi-head checkpoints" (arXiv:2305.13245).
"""

from attn_course.core.declaration import (
    HEAD_OPTIONS,
    HEAD_SIZES,
    POSITIVE,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="grouped_query_attention",
        layer="GroupedQueryAttention",
        reference="grouped_query_layer",
        paper="Ainslie et al. 2023, section 2.2; Shazeer 2019, section 3",
        chapter="13_mqa_gqa",
        family="shared keys",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
        sizes=HEAD_SIZES | {"num_heads": 4, "num_kv_heads": 2},
        options=HEAD_OPTIONS | {"value_norm": POSITIVE},
        wrong=(
            ({"num_kv_heads": 3}, "num_kv_heads"),
            ({"num_heads": 6, "num_kv_heads": 2, "key_dim": None}, "model_dim"),
        ),
        timed=Timed("words", 4096, {"num_kv_heads": 1}),
    ),
)
