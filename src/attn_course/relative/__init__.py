"""Shaw's relative attention: a learned vector for every clipped distance.

It is added to key and value, so the query chooses what a distance means.

    RelativeAttention(model_dim, num_heads, *, max_distance, key_dim=None,
                      value_dim=None, use_bias=False, dropout=0.0)
        (query (B, T, D), key=None (B, S, D), value=None (B, S, D), mask=None, *,
         bias=None, causal=False, need_weights=True)
        -> output (B, T, D), weights (B, H, T, S)
        key_dim None means model_dim / num_heads, value_dim None means key_dim.

    score[t, s] = query[t] . (key[s] + relative_key[clip(s - t)]) / sqrt(K)
    context[t]  = sum over s of weight[t, s] * (value[s] + relative_value[clip(s - t)])

Query i of T stands at position i + S - T, key j of S at j, as in
``attn_course.masks``: the last query stands on the last key.

Parameters (see ``attn_course.parity``): ``query_weight`` and ``key_weight`` (D, H K),
``value_weight`` (D, H V), ``output_weight`` (H V, D), ``relative_key``
(2 max_distance + 1, K) and ``relative_value`` (2 max_distance + 1, V), shared by the
heads; with ``use_bias`` also ``query_bias``, ``key_bias``, ``value_bias`` and
``output_bias``.

Source: Shaw, Uszkoreit & Vaswani 2018 (arXiv:1803.02155), section 3.
"""
