"""Random features: softmax attention estimated, in time that grows as the length.

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
(B, 1, 1, S), or where it is causal ``document_numbers``; gate (..., S); projection
(F, K), or (F / 2, K) where a row gives a cosine and a sine. PyTorch and TensorFlow
never form the weights.

Layers: ``PerformerAttention``, ``RandomFeatureAttention``. Parameters: those of
``MultiHeadAttention``, ``projection``, and ``gate_weight`` (E, H), ``gate_bias`` (H).

Sources: Choromanski et al. 2021 (arXiv:2009.14794); Peng et al. 2021
(arXiv:2103.02143).
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
        name="performer_attention",
        layer="PerformerAttention",
        paper="Choromanski et al. 2021, section 2",
        chapter="11_linearized",
        family="linearized",
        time="O(n m d)",
        memory="O(n m)",
        steps="O(1), causal O(n / c)",
        orders="Choromanski et al. 2021, section 2",
        sizes=NARROW_SIZES | {"num_features": 17},
        weights=False,
        padding=True,
        options=UNDROPPED | {"features": ("positive", "trigonometric")},
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed("heads", 8192),
    ),
    Mechanism(
        name="random_feature_attention",
        layer="RandomFeatureAttention",
        paper="Peng et al. 2021, section 3",
        chapter="11_linearized",
        family="linearized",
        time="O(n m d)",
        memory="O(n m)",
        steps="O(1), causal O(n / c)",
        sizes=NARROW_SIZES | {"num_features": 26},
        weights=False,
        padding=True,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(UNEVEN, ({"num_features": 7}, "num_features")),
        timed=Timed("heads", 8192),
    ),
)
