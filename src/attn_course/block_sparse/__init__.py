"""Attention over blocks: any layout, and the patterns that papers draw with blocks.

    block sparse   a layout says which blocks of keys every block of queries sees
    strided        the last ``stride`` positions, and all a multiple of stride away
    fixed          the own block of ``stride``, and the last ``summary`` of every block
    BigBird        first and last block, three blocks of window, a few random blocks

Query i stands at position i + S - T. Every function equals dense attention with its
mask of ``attn_course.masks``, for any T and S; a last block may be cut.
``reference.py`` is that dense attention, and returns its weights. ``pytorch.py`` and
``tf.py`` compute only the blocks that count, and return None for the weights. A mask is
padding, (B, 1, 1, S) or (B, H, 1, S).

Functions: ``block_sparse_attention(query, key, value, layout, block_size, mask=None, *,
causal=False)``, ``strided_attention(query, key, value, mask=None, *, stride,
heads="merged", causal=True)``, ``fixed_attention(query, key, value, mask=None, *,
stride, summary, causal=True)``, ``big_bird_attention(query, key, value, mask=None, *,
block_size, num_random, seed)``. Layers: ``BlockSparseAttention(model_dim, num_heads, *,
layout, block_size)``, ``StridedAttention(..., *, stride, heads="merged")``,
``FixedAttention(..., *, stride, summary)``, ``BigBirdAttention(..., *, block_size,
num_random, seed)``, with the parameters of ``MultiHeadAttention``.

The layers of strided and fixed attention are causal if the call says so, as all layers.

Sources: Child et al. 2019 (arXiv:1904.10509), section 4; Zaheer et al. 2020
(arXiv:2007.14062), section 2.
"""

__all__ = ["pytorch", "reference", "tf"]
