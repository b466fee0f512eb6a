"""Chosen blocks: a query attends to the few blocks of keys whose mean answers it best.

    score[t, n] = query[t] . mean of the keys of block n
    chosen[t]   = its own block, always, and the blocks before it of the highest scores:
                  top_k of them together; of equal ones the first
    output[t]   = softmax over the keys s <= t of the chosen blocks

Nothing is trained but query, key and value themselves. A block before one's own is
whole: the mean of one that still grows would show what is not yet written.

Public names, alike in ``reference``, ``pytorch`` and ``tf``; the layer in the last two:

    chosen_blocks_attention(query, key, value, mask=None, *, block_size, top_k)
    ChosenBlocksAttention(model_dim, num_heads, *, block_size, top_k, ...)

Shapes: query (..., T, K), key (..., S, K), value (..., S, V); output (..., T, V),
weights (..., T, S). The mask is padding, (B, 1, 1, S). Always causal. The last block is
cut at the end. Every head chooses for itself. The choice is made as a mask: it says
what is read, and saves no products of its own.

Source: Lu et al. 2025, "MoBA: Mixture of Block Attention" (arXiv:2502.13189).
"""

from attn_course.core.declaration import HEAD_SIZES, UNDROPPED, UNEVEN, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="chosen_blocks_attention",
        layer="ChosenBlocksAttention",
        paper="Lu et al. 2025 (MoBA), section 2.2",
        chapter="12_low_rank_and_hashing",
        family="sparse",
        time="O(n^2 d)",
        memory="O(n^2)",
        jumps=True,
        padding=True,
        sizes=HEAD_SIZES | {"block_size": 3, "top_k": 2},
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed(
            "heads",
            4096,
            {"block_size": "window", "top_k": 4, "need_weights": False},
            causal=True,
        ),
    ),
)
