"""The delta rule: linear attention that corrects what a key reads before it writes.

    state = decay[s] * state
    state = state + key[s] (beta[s] * (value[s] - state^T key[s]))^T
    output[t] = state^T query[t]

- ``delta_rule_attention(query, key, value, beta, *, mask=None, decay=None)``
- ``delta_rule_step(state, query, key, value, beta, *, decay=None)`` -> output, state

Always causal. PyTorch and TensorFlow compute it chunk by chunk (``chunk_size``).
Shapes: query (..., T, K), key (..., S, K) as a rule of unit norm, value (..., S, V);
beta and decay (..., S), 0 to 1; mask is padding, (B, 1, 1, S).

Layer: ``DeltaRuleAttention``. Parameters: those of ``MultiHeadAttention``,
``beta_weight`` (E, H), ``beta_bias`` (H), and as many of ``decay`` where it has one.

Sources: Schlag, Irie & Schmidhuber 2021 (arXiv:2102.11174); Yang et al. 2024 (DeltaNet
in chunks, arXiv:2406.06484); Yang, Kautz & Hatamizadeh 2024 (Gated DeltaNet,
arXiv:2412.06464).
"""
