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
mask is padding, (B, 1, 1, S), or where it is causal ``document_numbers``: the state
begins anew with every document; decay (..., S) is what is kept, 0 to 1.

Layer: ``LinearAttention``; ``new_state(batch)`` and ``step(x, state)`` decode with its
state, as many numbers after a million positions as after one, and so does ``cache=`` of
``new_cache``, as in a ``LanguageModel``. Parameters: those of
``MultiHeadAttention``, and ``decay_weight`` (E, H), ``decay_bias`` (H) where the decay
is learned.

Sources: Katharopoulos et al. 2020 (arXiv:2006.16236); Sun et al. 2023 (RetNet,
arXiv:2307.08621); Yang et al. 2024 (a learned decay, arXiv:2312.06635).
"""

from attn_course.core.declaration import (
    FLAG,
    NARROW_SIZES,
    UNDROPPED,
    UNEVEN,
    Mechanism,
    Timed,
)

MECHANISMS = (
    Mechanism(
        name="linear_attention",
        layer="LinearAttention",
        paper="Katharopoulos et al. 2020, section 3",
        chapter="11_linearized",
        family="linearized",
        time="O(n d^2 / h)",
        memory="O(n d)",
        steps="O(1), causal O(n / c)",
        orders="Katharopoulos et al. 2020, section 3",
        sizes=NARROW_SIZES,
        weights=False,
        padding=True,
        options=UNDROPPED
        | {
            "decay": (None, "fixed", "learned"),
            "feature_map": ("elu", "relu", "identity"),
            "normalize": FLAG,
        },
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed("heads", 8192),
    ),
)
