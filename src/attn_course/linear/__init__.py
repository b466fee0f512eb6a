"""Linear attention: a sum over keys that is written once and read by every query.

    similarity[t, s] = feature_map(query[t]) . feature_map(key[s])
    output[t] = sum over s of similarity[t, s] * value[s] / sum of similarity[t, s]

Because the similarity is a product, the sum over s can be taken first: a state of F x V
numbers instead of T x S weights. Causal, the state is what came so far, so the same
thing is a recurrent network. A decay lets it forget.

- ``linear_attention(query, key, value, mask=None, *, feature_map="elu", causal=False,
  decay=None, normalize=True, epsilon=1e-6)`` -> output, in ``reference`` weights too
- ``linear_attention_step(state, query, key, value, *, ...)`` -> output, state
- ``retention_decay(num_heads)`` -> the decays that RetNet fixes

PyTorch and TensorFlow compute the causal form chunk by chunk (``chunk_size``), and
never form the weights. Shapes: query (..., T, K), key (..., S, K), value (..., S, V);
mask is padding, (B, 1, 1, S); decay (..., S) is what is kept, 0 to 1.

Layer: ``LinearAttention``. Parameters: those of ``MultiHeadAttention``, and
``decay_weight`` (E, H), ``decay_bias`` (H) where the decay is learned.

Sources: Katharopoulos et al. 2020 (arXiv:2006.16236); Sun et al. 2023 (RetNet,
arXiv:2307.08621); Yang et al. 2024 (a learned decay, arXiv:2312.06635).
"""
