"""Attention over blocks: any layout of them, and BigBird's.

    block sparse   a layout says which blocks of keys every block of queries sees
    BigBird        first and last block, three blocks of window, a few random blocks

Query i stands at position i + S - T. Both equal dense attention with their mask of
``attn_course.masks``, for any T and S; a last block may be cut. ``reference.py`` is
that dense attention, and returns its weights. ``pytorch.py`` and ``tf.py`` gather the
blocks that count, and return None for the weights. A mask is padding, (B, 1, 1, S) or
(B, H, 1, S).

Functions: ``block_sparse_attention(query, key, value, layout, block_size, mask=None, *,
causal=False)``, ``big_bird_attention(query, key, value, mask=None, *, block_size,
num_random, seed)``. Layers: ``BlockSparseAttention(model_dim, num_heads, *, layout,
block_size)``, ``BigBirdAttention(..., *, block_size, num_random, seed)``, with the
parameters of ``MultiHeadAttention``.

BigBird's layout depends on the length: a graph of it is made for one length.

Sources: Child et al. 2019 (arXiv:1904.10509), section 5.5; Zaheer et al. 2020
(arXiv:2007.14062), section 2.
"""

__all__ = ["pytorch", "reference", "tf"]
