"""Windows: attention to what is near, with gaps, or with a few that all see.

    sliding window    query i sees keys i - w + 1 .. i if causal, else |i - j| < w
    dilated window    i - j = d m with |m| < w, and m >= 0 if causal
    Longformer        a sliding window, and global positions that see and are seen

Query i stands at position i + S - T. Every function equals dense attention with its
mask of ``attn_course.masks``, for any T and S. ``reference.py`` is that dense
attention, and returns its weights. ``pytorch.py`` and ``tf.py`` cut the sequence into
blocks of queries, each with the keys around it: T x window scores instead of T x S.
They never form the weights as a matrix, and return None for them.

A mask is padding, (B, 1, 1, S) or (B, H, 1, S): which keys a query sees is the
pattern's to say. In PyTorch and TensorFlow it may be the ``document_numbers`` of
documents packed in a row, which then see only themselves. Global positions are
columns: behind padding on the left, position 0 is padding. The functions take
``(..., T, K), (..., S, K), (..., S, V)``.

Functions: ``sliding_window_attention(query, key, value, window, mask=None, *,
causal=False)``, ``dilated_window_attention(query, key, value, window, dilation,
mask=None, *, causal=False)``, ``longformer_attention(query, key, value, mask=None, *,
window, positions, causal=False, global_heads=None)``; in PyTorch and TensorFlow with
``softmax=None, scale=None`` too. Layers: ``SlidingWindowAttention(model_dim,
num_heads, *, window)``, ``DilatedWindowAttention(..., *, window, dilation)``,
``LongformerAttention(..., *, window, positions, global_projections=False)``, with the
parameters of ``MultiHeadAttention``, and ``query_global_weight`` ... where global
queries have projections of their own.

``SlidingWindowAttention.new_cache`` keeps the window's keys and values, no more.

gpt-oss' layer is a window with other parts: ``SlidingWindowAttention(model_dim, H,
window=128, num_kv_heads=G, softmax=SinkSoftmax(H), rotary=RotaryEncoding(K))``.

What libraries call a window of w: Hugging Face, Keras and we count keys with the
query's own, w keys to the past; flash-attention and local-attention count the
distance, w + 1 keys.

Sources: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1; Child et al.
2019 (arXiv:1904.10509).
"""

from attn_course.core.declaration import (
    BASE,
    HEAD_SIZES,
    UNDROPPED,
    UNEVEN,
    Mechanism,
    Timed,
)

__all__ = ["pytorch", "reference", "tf"]
PAPER = "Beltagy, Peters & Cohan 2020, section 3.1"

MECHANISMS = (
    Mechanism(
        name="sliding_window_attention",
        layer="SlidingWindowAttention",
        paper=PAPER,
        chapter="10_sparse",
        family="sparse",
        time="O(n w d)",
        memory="O(n w)",
        path="O(n / w)",
        orders=BASE + ", restricted",
        pattern="sliding_window_mask",
        sizes=HEAD_SIZES | {"window": 2},
        weights=False,
        padding=True,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed("heads", 8192, {"window": "window"}),
    ),
    Mechanism(
        name="dilated_window_attention",
        layer="DilatedWindowAttention",
        paper=PAPER,
        chapter="10_sparse",
        family="sparse",
        time="O(n w d)",
        memory="O(n w)",
        path="never, if all gaps are equal",
        pattern="dilated_window_mask",
        sizes=HEAD_SIZES | {"window": 2, "dilation": 3},
        weights=False,
        padding=True,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(UNEVEN,),
        timed=Timed("heads", 8192, {"window": "window", "dilation": 2}),
    ),
    Mechanism(
        name="longformer_attention",
        layer="LongformerAttention",
        paper=PAPER,
        chapter="10_sparse",
        family="sparse",
        time="O(n (w + g) d)",
        memory="O(n (w + g))",
        path="2, causal O(n / w)",
        orders="Beltagy et al. 2020, section 3.1",
        pattern="longformer_mask",
        sizes=HEAD_SIZES | {"window": 2, "positions": [0, 2]},
        weights=False,
        padding=True,
        options=UNDROPPED,
        refuses=("bias",),
        wrong=(
            UNEVEN,
            ({"positions": [-1]}, r"positions\S*"),
            ({"positions": [1.5]}, r"positions\S*"),
            ({"positions": [True]}, r"positions\S*"),
        ),
        timed=Timed("heads", 8192, {"window": "window", "positions": (0,)}),
    ),
)
