"""Relative positions: how far apart two tokens stand, told in three ways.

A number for every pair of positions, added to the score:
    alibi_slopes(num_heads)
    alibi_bias(num_heads, T, S)
    relative_buckets(T, S, *, num_buckets=32, max_distance=128, bidirectional=True)
    AlibiBias(num_heads)
    RelativeBias(num_heads, *, num_buckets=32, max_distance=128, bidirectional=True)
        (T, S) -> (1, H, T, S), for ``bias=`` of any attention over heads
A learned vector for every clipped distance, added to key and value:
    RelativeAttention(model_dim, num_heads, *, max_distance, key_dim=None,
                      value_dim=None, use_bias=False, dropout=0.0)
        an ``AttentionLayer``; its options and its call are those of all attention over
        heads, see ``attn_course.core.layer``

    ALiBi       score[t, s] - slope |t - s|
    T5          score[t, s] + weight[bucket(s - t)]
    Shaw        score[t, s] = query[t] . (key[s] + relative_key[clip(s - t)]) / sqrt(K)
                context[t]  = sum over s of weight[t, s] (value[s] + relative_value[r])

Query i of T stands at position i + S - T, key j of S at j, as in
``attn_course.masks``: the last query stands on the last key.

Parameters (see ``attn_course.parity``):
    T5: ``weight`` (num_buckets, H).
    Shaw: ``query_weight`` and ``key_weight`` (D, H K), ``value_weight`` (D, H V),
    ``output_weight`` (H V, D), ``relative_key`` (2 max_distance + 1, K) and
    ``relative_value`` (2 max_distance + 1, V), shared by the heads; with ``use_bias``
    also ``query_bias``, ``key_bias``, ``value_bias`` and ``output_bias``.

Sources: Shaw, Uszkoreit & Vaswani 2018 (arXiv:1803.02155), section 3; Raffel et al.
2020 (arXiv:1910.10683), section 2.1; Press, Smith & Lewis 2022 (arXiv:2108.12409).
"""

from attn_course.core.declaration import (
    FLAG,
    HEAD_OPTIONS,
    NARROW_SIZES,
    UNEVEN,
    Form,
    Layer,
    Mechanism,
    Timed,
)

BIAS = Form({"score": "BHTS"}, empty=True)

MECHANISMS = (
    Mechanism(
        name="relative_attention",
        layer="RelativeAttention",
        paper="Shaw, Uszkoreit & Vaswani 2018, section 3",
        chapter="07_positional_encoding",
        time="O(n^2 d)",
        memory="O(n^2 d)",
        sizes=NARROW_SIZES | {"max_distance": 3},
        natural=("max_distance",),
        options=HEAD_OPTIONS,
        wrong=(UNEVEN,),
        timed=Timed("words", 1024, {"max_distance": 16}),
    ),
)
LAYERS = (
    Layer(name="alibi_bias", layer="AlibiBias", form=BIAS, sizes={"num_heads": 2}),
    Layer(
        name="relative_bias",
        layer="RelativeBias",
        form=BIAS,
        sizes={"num_heads": 2, "num_buckets": 6, "max_distance": 23},
        options={"bidirectional": FLAG},
        wrong=(
            ({"num_buckets": 7}, "num_buckets"),
            ({"num_buckets": 8, "max_distance": 2}, "max_distance"),
            ({"num_buckets": 1, "bidirectional": False}, "num_buckets"),
        ),
    ),
)
