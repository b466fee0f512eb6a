"""Attention to what is near: a window, a window with gaps, a window with global tokens.

    sliding window    query i sees keys i - w + 1 .. i if causal, else |i - j| < w
    dilated window    i - j = d m with |m| < w, and m >= 0 if causal
    Longformer        a sliding window, and global positions that see and are seen

Query i stands at position i + S - T. Every function equals dense attention with its
mask of ``attn_course.masks``, for any T and S. ``reference.py`` is that dense
attention, and returns its weights. ``pytorch.py`` and ``tf.py`` cut the sequence into
blocks of queries, each with the keys around it: T x window scores instead of T x S.
They never form the weights as a matrix, and return None for them.

A mask is padding, (B, 1, 1, S) or (B, H, 1, S): which keys a query sees is the
pattern's to say. The functions take ``(..., T, K), (..., S, K), (..., S, V)``.

Functions: ``sliding_window_attention(query, key, value, window, mask=None, *,
causal=False)``, ``dilated_window_attention(query, key, value, window, dilation,
mask=None, *, causal=False)``, ``longformer_attention(query, key, value, mask=None, *,
window, positions, causal=False)``. Layers: ``SlidingWindowAttention(model_dim,
num_heads, *, window)``, ``DilatedWindowAttention(..., *, window, dilation)``,
``LongformerAttention(..., *, window, positions)``, with the parameters of
``MultiHeadAttention``.

What libraries call a window of w: Hugging Face, Keras and we count keys with the
query's own, w keys to the past; flash-attention and local-attention count the
distance, w + 1 keys.

Sources: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1; Child et al.
2019 (arXiv:1904.10509).
"""

__all__ = ["pytorch", "reference", "tf"]
