"""Flash attention: exact attention, tile by tile, without the matrix of the weights.

    for every block of keys, in turn:
        score   = query @ key^T / sqrt(K), of this block alone
        highest = max(highest before, score)
        kept    = exp(highest before - highest)
        total   = kept * total before   + sum of exp(score - highest)
        context = kept * context before + exp(score - highest) @ value
    output = context / total

The softmax is online: when a larger score comes, what was summed up so far shrinks by
``kept``. The result is the softmax, not an approximation of it. The backward pass keeps
``highest + log(total)``, one number per query, and forms the weights of a block again.

- ``online_softmax(score, *, block_size)`` -> the softmax of the last axis
- ``flash_attention(query, key, value, mask=None, *, causal=False, block_size=128)``
  -> output, None; in PyTorch and TensorFlow ``scale=None`` too
- ``memory_traffic(T, S, key_dim, value_dim=None, *, block_size=None, causal=False,
  itemsize=2)`` -> bytes between slow and fast memory; alike in all three

Shapes: query (..., T, K), key (..., S, K), value (..., S, V); mask boolean, as in
``scaled_dot_product_attention``. The weights are never formed: they are None.

``triton.py`` is the same as one kernel for a GPU. Layer: ``FlashAttention``, with the
parameters of ``MultiHeadAttention``.

Sources: Dao et al. 2022 (FlashAttention, arXiv:2205.14135); Dao 2023
(FlashAttention-2, arXiv:2307.08691); Milakov & Gimelshein 2018 (arXiv:1805.02867).
"""

from attn_course.core.declaration import HEAD_SIZES, UNDROPPED, UNEVEN, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="flash_attention",
        layer="FlashAttention",
        paper="Dao et al. 2022, section 3; Dao 2023, section 3",
        chapter="14_flash",
        time="O(n^2 d)",
        memory="O(n d)",
        steps="O(n / c)",
        orders="Dao et al. 2022, section 3",
        reference="multi_head_attention",
        sizes=HEAD_SIZES | {"block_size": 2},
        weights=False,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed("heads", 8192, counted=(1024, 4096)),
    ),
)
