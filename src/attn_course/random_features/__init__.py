"""Softmax attention estimated by random features, in time that grows as the length.

    features(query[t]) . features(key[s]) is on average exp(query[t] . key[s] / sqrt(K))

so that the weights of softmax become those of linear attention, up to an error that
falls as 1 / sqrt(number of features), and grows as exp of the vectors' squared length.

- ``softmax_features(x, projection, *, features="positive")`` -> (..., T, F)
- ``performer_attention(query, key, value, mask=None, *, projection=None,
  num_features=256, seed=0, features="positive", causal=False)``: orthogonal rows, and
  positive features, or "trigonometric" ones
- ``random_feature_attention(query, key, value, mask=None, *, projection=None,
  num_features=256, seed=0, gate=None, causal=False)``: queries and keys of unit norm,
  cosines and sines, a gate that forgets
- ``orthogonal_projection``, ``gaussian_projection(num_rows, key_dim, *, seed=0)``

Shapes: query (..., T, K), key (..., S, K), value (..., S, V); mask is padding,
(B, 1, 1, S); gate (..., S); projection (F, K), or (F / 2, K) where a row gives a cosine
and a sine. PyTorch and TensorFlow never form the weights.

Layers: ``PerformerAttention``, ``RandomFeatureAttention``. Parameters: those of
``MultiHeadAttention``, ``projection``, and ``gate_weight`` (E, H), ``gate_bias`` (H).

Sources: Choromanski et al. 2021 (arXiv:2009.14794); Peng et al. 2021
(arXiv:2103.02143).
"""
