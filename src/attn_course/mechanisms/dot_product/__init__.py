"""Dot-product attention: queries meet keys, and values are averaged.

    weights = softmax(query @ key^T * scale + bias), over the keys that the mask allows
    output  = weights @ value

Public names, alike in ``reference``, ``pytorch`` and ``tf``:

    masked_softmax(score, mask=None)
    scaled_dot_product_attention(query, key, value, mask=None, *,
                                 bias=None, scale=None, causal=False, need_weights=True)

and in the last two also ``dropout=None``, a function that drops weights.
``attention`` there is the formula alone, without checks; ``allowed_keys`` brings mask,
causal and a bias of minus infinity together.

Shapes: query (..., T, K), key (..., S, K), value (..., S, V) with the same leading
axes, usually (B, H); mask boolean, True = may attend; bias floating; output
(..., T, V), weights (..., T, S). It has no parameters.

Source: Vaswani et al. 2017, "Attention is all you need" (arXiv:1706.03762), section
3.2.1, equation 1.
"""

from attn_course.core.declaration import BASE, HEADS, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="scaled_dot_product_attention",
        paper="Vaswani et al. 2017, section 3.2.1",
        chapter="04_scaled_dot_product",
        time="O(n^2 d)",
        memory="O(n^2)",
        orders=BASE,
        form=HEADS,
        timed=Timed("heads", 4096),
    ),
)
