"""What the layers of all topics share.

``shared``: sizes and checks of heads, for every framework. ``pytorch`` and ``tf``: how
a linear map is made, how heads are split and merged, and ``AttentionLayer``, the
skeleton of every attention over heads. A mechanism is a subclass that overrides

    attend(query (B, H, T, K), key (B, G, S, K), value (B, G, S, V), mask, *,
           bias, causal, need_weights, dropout)
    -> context (B, H, T, V), weights (B, H, T, S) or None

and nothing else, unless more is computed from the input: ``gates(memory (B, S, E))``
gives further arguments of ``attend``, by name. G is H, unless the mechanism says that
it is ``grouped``: others get keys and values that are repeated to H heads.

What a layer is built from is a ``HeadSizes`` (``sizes``), read by name; a mechanism
with sizes of its own extends it and hands them to the constructor as ``own``. Where a
mechanism forms scaled scores (``own_scale``), ``attend`` gets ``scale=`` too, and where
it has a softmax over all keys of a query (``own_softmax``), ``softmax=``; both only if
they were given to the layer. Other layers refuse them by name.
"""
