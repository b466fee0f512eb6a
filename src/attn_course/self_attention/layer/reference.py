"""One head of self-attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.dot_product.reference import (
    hide_nan,
    hide_unseen,
    scaled_dot_product_attention,
)
from attn_course.self_attention.layer.checks import check_self_attention


def self_attention(x, parameters, mask=None, *, causal=False, need_weights=True):
    """Every position of a sequence asks all positions of the same sequence.

    query[t], key[t], value[t] = x[t] @ query_weight, x[t] @ key_weight,
                                 x[t] @ value_weight
    weight[t, :] = softmax over the allowed s of query[t] . key[s] / sqrt(K)
    output[t]    = sum over s of weight[t, s] * value[s], then @ output_weight if
                   there is one

    Shapes:
        x: (B, T, D).
        parameters: ``query_weight`` (D, K), ``key_weight`` (D, K), ``value_weight``
            (D, V) and perhaps ``output_weight`` (V, D).
        mask: boolean (T, T), (B, T, T), or (B, 1, T), padding; True = may attend.
        causal: True also blocks the positions after one's own.
        returns: output (B, T, V), or (B, T, D) with ``output_weight``; weights
            (B, T, T), None for ``need_weights=False``.

    Edge case: a position that may attend to nothing gets zeros. A position that none
        may see has no influence on the others. Where it holds NaN or infinity, it asks
        with zeros instead: its own row and all gradients stay finite.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), sections 3.2.1 and 3.2.3.
    Differs: the paper has several heads at once; this is one of them.
    """
    check_self_attention(x, parameters, mask)
    x = np.asarray(x, np.float64)
    seen = x if mask is None else hide_unseen(x, mask)
    asking = x if mask is None else hide_nan(x, mask)
    output, weights = scaled_dot_product_attention(
        asking @ parameters["query_weight"],
        seen @ parameters["key_weight"],
        seen @ parameters["value_weight"],
        mask,
        causal=causal,
        need_weights=need_weights,
    )
    if "output_weight" in parameters:
        output = output @ parameters["output_weight"]
    return output, weights
