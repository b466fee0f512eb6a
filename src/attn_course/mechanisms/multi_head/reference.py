"""Multi-head attention in NumPy, float64: the specification."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attn_course.core.layer.shared import check_divisible
from attn_course.core.shapes import check_shapes
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention
from attn_course.mechanisms.multi_head.shared import check_multi_head

__all__ = [
    "merge_heads",
    "multi_head_attention",
    "multi_head_attention_at_once",
    "split_heads",
]

Parameters = dict[str, np.ndarray]


def split_heads(x: np.ndarray, num_heads: int) -> np.ndarray:
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


def merge_heads(x: np.ndarray) -> np.ndarray:
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
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    parameters: Parameters,
    *,
    num_heads: int,
    mask: np.ndarray | None = None,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
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
        returns: output (B, T, D), weights (B, H, T, S).

    Edge case: a query that may attend to nothing gets zero weights, so its output is
        the output's bias.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or a parameter is missing.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2.
    Differs: the paper's maps have no biases, and it asks for H * K = D. Bias, head_mask
        and rotary of the layers: ``multi_head_attention_at_once``.
    """
    inputs = {"query": query, "key": key, "value": value}
    check_multi_head(inputs, parameters, num_heads, mask=mask)
    contexts, weights = [], []
    for head in range(num_heads):
        queries, keys, values = (
            project(x, parameters, name, (head, num_heads))
            for name, x in inputs.items()
        )
        own_mask = mask
        if mask is not None and mask.ndim == 4:
            own_mask = mask[:, head if mask.shape[1] > 1 else 0]
        context, weight = scaled_dot_product_attention(
            queries, keys, values, own_mask, causal=causal
        )
        contexts.append(context)
        weights.append(weight)
    joined = np.concatenate(contexts, axis=-1)
    return project(joined, parameters, "output"), np.stack(weights, axis=1)


def multi_head_attention_at_once(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    parameters: Parameters,
    *,
    num_heads: int,
    mask: np.ndarray | None = None,
    causal: bool = False,
    bias: np.ndarray | None = None,
    head_mask: np.ndarray | None = None,
    rotary: Callable[..., Any] | None = None,
    attend: Callable[..., Any] = scaled_dot_product_attention,
) -> tuple[np.ndarray, np.ndarray]:
    """The same with all heads at once, as the layers compute it.

    One product projects for all heads, and ``split_heads`` cuts the result.

    Shapes: as in ``multi_head_attention``, and
        bias: (T, S), (H, T, S) or (B, H, T, S), each axis of full size or 1; added to
            the scaled scores.
        head_mask: (H), or (B, H) for one row per example; scales each head's context.
        rotary: ``(query (B, H, T, K), key (B, H, S, K)) -> (query, key)``, or None.
        attend: what every head does with its query, key and value.

    Source: head_mask is the xi of Michel et al. 2019 (arXiv:1905.10650), equation 1.
    """
    inputs = {"query": query, "key": key, "value": value}
    options = {"mask": mask, "bias": bias, "head_mask": head_mask}
    check_multi_head(inputs, parameters, num_heads, **options)
    queries, keys, values = (
        split_heads(project(x, parameters, name), num_heads)
        for name, x in inputs.items()
    )
    if rotary is not None:
        queries, keys = rotary(queries, keys)
    context, weights = attend(queries, keys, values, mask, bias=bias, causal=causal)
    if head_mask is not None:
        context = context * head_mask[..., None, None]
    return project(merge_heads(context), parameters, "output"), weights


def project(
    x: np.ndarray,
    parameters: Parameters,
    name: str,
    head: tuple[int, int] | None = None,
) -> np.ndarray:
    """x @ weight + bias; of one head's columns only for head = (which, how many)."""
    weight, bias = parameters[f"{name}_weight"], parameters.get(f"{name}_bias")
    columns = slice(None)
    if head is not None:
        which, num_heads = head
        width = weight.shape[1] // num_heads
        columns = slice(which * width, (which + 1) * width)
    projected = np.asarray(x, np.float64) @ weight[:, columns]
    return projected if bias is None else projected + bias[columns]
