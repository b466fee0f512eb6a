"""What the layers of all topics share.

``shared``: sizes and checks of heads, for every framework. ``pytorch`` and ``tf``: how
a linear map is made, how heads are split and merged, and ``AttentionLayer``, the
skeleton of every attention over heads. A mechanism is a subclass that overrides

    attend(query (B, H, T, K), key (B, G, S, K), value (B, G, S, V), mask, *,
           bias, causal, need_weights, dropout)
    -> context (B, H, T, V), weights (B, H, T, S) or None

and nothing else, unless more is computed from the input: ``gates(key (B, S, E))`` gives
further arguments of ``attend``, by name. G is H, unless the mechanism sets
``num_kv_heads`` before it calls the constructor of ``AttentionLayer``.
"""
