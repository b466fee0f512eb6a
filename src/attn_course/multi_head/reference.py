"""Multi-head attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.dot_product.reference import (
    block_future,
    hide_nan,
    hide_unseen,
    scaled_dot_product_attention,
)
from attn_course.multi_head.checks import (
    check_divisible,
    check_dtypes,
    check_multi_head,
)
from attn_course.shapes import check_shapes


def split_heads(x, num_heads):
    """Cut the last axis into heads: head h gets the h-th block of columns.

    heads[b, h, t, k] = x[b, t, h * K + k]

    Shapes:
        x: (B, T, H*K).
        returns: (B, H, T, K).

    Raises:
        ValueError: x has no three axes, or its width isn't divisible by num_heads.

    >>> split_heads(np.arange(4.0).reshape(1, 1, 4), 2).tolist()
    [[[[0.0, 1.0]], [[2.0, 3.0]]]]
    """
    B, T, width = check_shapes(x=(x, "BTD")).values()
    check_divisible("x", width, num_heads)
    return np.reshape(x, (B, T, num_heads, width // num_heads)).swapaxes(1, 2)


def merge_heads(x):
    """Put the heads side by side again: the inverse of ``split_heads``.

    Shapes:
        x: (B, H, T, K).
        returns: (B, T, H*K).

    Raises:
        ValueError: x has not four axes.
    """
    B, H, T, K = check_shapes(x=(x, "BHTK")).values()
    return np.swapaxes(x, 1, 2).reshape(B, T, H * K)


def multi_head_attention(
    query,
    key,
    value,
    parameters,
    *,
    num_heads,
    mask=None,
    causal=False,
    bias=None,
    head_mask=None,
    rotary=None,
):
    """Attend with every head, put the results side by side, and mix them.

    head[h] = scaled_dot_product_attention(query @ query_weight[h] + query_bias[h],
                                           key @ key_weight[h] + key_bias[h],
                                           value @ value_weight[h] + value_bias[h])
    output  = [head[0], ..., head[H-1]] @ output_weight + output_bias

    where [h] is the h-th block of K (or V) columns: heads slice the projections, each
    sees the whole input. The scores are divided by the root of K, a head's width.

    Shapes:
        query: (B, T, D). key: (B, S, E). value: (B, S, F).
        parameters: ``query_weight`` (D, H*K), ``key_weight`` (E, H*K),
            ``value_weight`` (F, H*V), ``output_weight`` (H*V, D), and where there are
            biases ``query_bias`` (H*K), ``key_bias`` (H*K), ``value_bias`` (H*V),
            ``output_bias`` (D).
        mask: boolean (T, S), (B, 1, T, S), (B, 1, 1, S) or (B, H, T, S);
            True = may attend. Padding (B, S) is passed as ``mask[:, None, None]``.
        causal: True also blocks keys that stand after the query.
        bias: broadcastable to (B, H, T, S), added to the scaled scores.
        head_mask: (H), or (B, H) for one row an example; scales each head's context.
        rotary: ``(query (B, H, T, K), key (B, H, S, K)) -> (query, key)``, or None.
        returns: output (B, T, D), weights (B, H, T, S).

    Edge case: a query that may attend to nothing gets zero weights, so its output is
        the output's bias. A key that no query may see has no influence, even if key or
        value hold NaN there. (In self-attention, where key is the query itself, such a
        position asks with zeros in place of the NaN.)

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2.
    Differs: the paper's maps have no biases, and it asks for H * K = D. head_mask is
        the xi of Michel et al. 2019 (arXiv:1905.10650), equation 1.
    """
    options = {"mask": mask, "bias": bias, "head_mask": head_mask}
    inputs = _prepare(query, key, value, parameters, num_heads, causal, **options)
    contexts, weights = [], []
    for head in range(num_heads):
        queries, keys, values = (
            project(x, parameters, name, (head, num_heads))
            for name, x in inputs.items()
        )
        if rotary is not None:
            queries, keys = (x[:, 0] for x in rotary(queries[:, None], keys[:, None]))
        score_shape = (len(query), num_heads, query.shape[1], key.shape[1])
        own_mask, own_bias = (
            None if x is None else np.broadcast_to(x, score_shape)[:, head]
            for x in (mask, bias)
        )
        context, weight = scaled_dot_product_attention(
            queries, keys, values, own_mask, bias=own_bias, causal=causal
        )
        share = 1.0 if head_mask is None else head_mask[..., head, None, None]
        contexts.append(context * share)
        weights.append(weight)
    joined = np.concatenate(contexts, axis=-1)
    return project(joined, parameters, "output"), np.stack(weights, axis=1)


def multi_head_attention_at_once(
    query,
    key,
    value,
    parameters,
    *,
    num_heads,
    mask=None,
    causal=False,
    bias=None,
    head_mask=None,
    rotary=None,
):
    """The same numbers without a loop: heads are one more axis of the arrays.

    See ``multi_head_attention``. One product projects for all heads, because their
    blocks of columns stand side by side in one matrix.
    """
    options = {"mask": mask, "bias": bias, "head_mask": head_mask}
    inputs = _prepare(query, key, value, parameters, num_heads, causal, **options)
    queries, keys, values = (
        split_heads(project(x, parameters, name), num_heads)
        for name, x in inputs.items()
    )
    if rotary is not None:
        queries, keys = rotary(queries, keys)
    context, weights = scaled_dot_product_attention(
        queries, keys, values, mask, bias=bias, causal=causal
    )
    if head_mask is not None:
        context = context * head_mask[..., None, None]
    return project(merge_heads(context), parameters, "output"), weights


def _prepare(query, key, value, parameters, num_heads, causal, **options):
    """The checked inputs in float64, zero where no query may look."""
    inputs = {"query": query, "key": key, "value": value}
    check_dtypes(inputs, {}, options["bias"])
    check_multi_head(inputs, parameters, num_heads, **options)
    return hide(inputs, options["mask"], causal)


def hide(inputs, mask, causal):
    """Query, key and value in float64, zero where no query may look with any head.

    In self-attention the query is zero too where it can't be seen and isn't finite.
    """
    query, key, value = inputs.values()
    if mask is not None:
        mask = block_future(mask, query, key) if causal else mask
        seen = mask if mask.ndim == 2 else mask.any(axis=1)
        query = hide_nan(query, seen) if query is key else query
        key, value = hide_unseen(key, seen), hide_unseen(value, seen)
    hidden = zip(inputs, (query, key, value), strict=True)
    return {name: np.asarray(x, np.float64) for name, x in hidden}


def project(x, parameters, name, head=None):
    """x @ weight + bias; of one head's columns only for head = (which, how many)."""
    weight, bias = parameters[f"{name}_weight"], parameters.get(f"{name}_bias")
    columns = slice(None)
    if head is not None:
        which, num_heads = head
        width = weight.shape[1] // num_heads
        columns = slice(which * width, (which + 1) * width)
    projected = x @ weight[:, columns]
    return projected if bias is None else projected + bias[columns]
