"""Sparse blocks: only those that a layout names, and BigBird's layout.

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

from attn_course.core.declaration import HEAD_SIZES, UNDROPPED, UNEVEN, Mechanism, Timed

__all__ = ["pytorch", "reference", "tf"]

MECHANISMS = (
    Mechanism(
        name="block_sparse_attention",
        layer="BlockSparseAttention",
        paper="Child et al. 2019, section 5.5",
        chapter="10_sparse",
        family="sparse",
        time="O(blocks c^2 d)",
        memory="O(blocks c^2)",
        path="by the layout",
        pattern="block_mask",
        sizes=HEAD_SIZES
        | {
            "layout": [
                [False, True, False, True],
                [True, False, False, True],
                [False, True, True, True],
            ],
            "block_size": 2,
        },
        weights=False,
        padding=True,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(
            UNEVEN,
            ({"layout": [True]}, "layout"),
            ({"layout": [[1, 0]]}, "layout"),
            ({"layout": []}, "layout"),
        ),
        fixed="TS",
        timed=Timed("heads", 8192, {"layout": "band", "block_size": "block"}),
    ),
    Mechanism(
        name="big_bird_attention",
        layer="BigBirdAttention",
        paper="Zaheer et al. 2020, section 2",
        chapter="10_sparse",
        family="sparse",
        time="O(n (w + g + r) d)",
        memory="O(n (w + g + r))",
        path="2",
        pattern="big_bird_mask",
        sizes=HEAD_SIZES | {"block_size": 1, "num_random": 1, "seed": 5},
        weights=False,
        padding=True,
        natural=("num_random", "seed"),
        options=UNDROPPED,
        refuses=("causal", "bias"),
        wrong=(UNEVEN,),
        fixed="TS",
        timed=Timed("heads", 8192, {"block_size": "block", "num_random": 3, "seed": 0}),
    ),
)
