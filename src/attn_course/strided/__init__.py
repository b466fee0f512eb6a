"""The Sparse Transformer's patterns: strided for images, fixed for text.

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
``MultiHeadAttention``; as all layers they are causal if the call says so.

Source: Child et al. 2019 (arXiv:1904.10509), sections 4.2 and 4.3.
"""

__all__ = ["pytorch", "reference", "tf"]
