"""Strided and fixed patterns: the Sparse Transformer's, for images and for text.

    strided   the last ``stride`` positions (row), multiples of stride away (column)
    fixed     the own block of ``stride``, and the last ``summary`` of every block

With stride near the root of n, either connects all pairs in two layers, at n sqrt(n).

Query i stands at position i + S - T. Both equal dense attention with their mask of
``attn_course.masks``, for any T and S. ``reference.py`` is that dense attention, and
returns its weights. ``pytorch.py`` and ``tf.py`` compute the pattern alone, and return
None for the weights. A mask is padding, (B, 1, 1, S) or (B, H, 1, S).

Functions: ``strided_attention(query, key, value, mask=None, *, stride, heads="merged",
causal=True)``, ``fixed_attention(query, key, value, mask=None, *, stride, summary,
causal=True)``. Layers: ``StridedAttention(model_dim, num_heads, *, stride,
heads="merged")``, ``FixedAttention(..., *, stride, summary)``, with the parameters of
``MultiHeadAttention``; functions and layers are causal unless ``causal=False`` is said.

Source: Child et al. 2019 (arXiv:1904.10509), sections 4.2 and 4.3.
"""

from attn_course.core.declaration import HEAD_SIZES, UNDROPPED, UNEVEN, Mechanism, Timed

__all__ = ["pytorch", "reference", "tf"]

MECHANISMS = (
    Mechanism(
        name="strided_attention",
        layer="StridedAttention",
        paper="Child et al. 2019, section 4.3",
        chapter="10_sparse",
        family="sparse",
        time="O(n sqrt(n) d)",
        memory="O(n sqrt(n))",
        path="2",
        orders="Child et al. 2019, section 4.2",
        pattern="strided_mask",
        sizes=HEAD_SIZES | {"stride": 2},
        weights=False,
        padding=True,
        options=UNDROPPED | {"heads": ("merged", "split")},
        refuses=("bias",),
        wrong=(UNEVEN, ({"num_heads": 3, "heads": "split"}, "num_heads")),
        timed=Timed("heads", 8192, {"stride": "root"}, causal=True),
    ),
    Mechanism(
        name="fixed_attention",
        layer="FixedAttention",
        paper="Child et al. 2019, section 4.3",
        chapter="10_sparse",
        family="sparse",
        time="O(n sqrt(n) d)",
        memory="O(n sqrt(n))",
        path="2",
        orders="Child et al. 2019, section 4.2",
        pattern="fixed_mask",
        sizes=HEAD_SIZES | {"stride": 3, "summary": 1},
        weights=False,
        padding=True,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(UNEVEN, ({"summary": 4}, "summary")),
        timed=Timed(
            "heads", 8192, {"stride": "root", "summary": "summary"}, causal=True
        ),
    ),
)
