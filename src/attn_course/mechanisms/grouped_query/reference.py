"""Grouped-query attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.shapes import check_parameters
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention
from attn_course.mechanisms.grouped_query.shared import check_grouped
from attn_course.mechanisms.multi_head.reference import (
    merge_heads,
    project,
    split_heads,
)

__all__ = ["grouped_query_attention", "grouped_query_layer"]


def grouped_query_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend with H heads of the query to G heads of key and value, one per group.

    output[h] = softmax(query[h] @ key[g]^T / sqrt(K)) @ value[g],  g = h // (H / G)

    With 6 heads of the query and 2 of the key: query head 0 1 2 3 4 5
                                                key head   0 0 0 1 1 1

    Shapes:
        query: (B, H, T, K). key: (B, G, S, K). value: (B, G, S, V).
        mask: boolean (T, S), (B, 1, T, S), (B, 1, 1, S) or (B, H, T, S);
            True = may attend.
        causal: True also blocks keys that stand after the query.
        returns: output (B, H, T, V), weights (B, H, T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero output.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or G does not divide H.

    Source: Ainslie et al. 2023 (arXiv:2305.13245), section 2.2; G = 1 is Shazeer 2019
        (arXiv:1911.02150), section 3.
    Differs: Shazeer's code does not divide the scores by the root of K; his projection
        is drawn smaller instead.
    """
    check_grouped(query, key, value, mask)
    H, G = query.shape[1], key.shape[1]
    outputs, weights = [], []
    for head in range(H):
        group = head // (H // G)
        own_mask = mask
        if mask is not None and mask.ndim > 2:
            own_mask = mask[:, min(head, mask.shape[1] - 1)]
        output, weight = scaled_dot_product_attention(
            query[:, head], key[:, group], value[:, group], own_mask, causal=causal
        )
        outputs.append(output)
        weights.append(weight)
    return np.stack(outputs, axis=1), np.stack(weights, axis=1)


def grouped_query_layer(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    parameters: dict[str, np.ndarray],
    *,
    num_heads: int,
    num_kv_heads: int,
    value_norm: float | None = None,
    mask: np.ndarray | None = None,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Project, split, attend in groups, merge and project.

    heads    = num_heads blocks of columns of query @ query_weight + query_bias,
               num_kv_heads blocks of key @ key_weight + key_bias, and so of value,
               there value / sqrt(mean(value ** 2) + value_norm) where that is given
    output   = merged contexts @ output_weight + output_bias

    Shapes:
        query: (B, T, D). key: (B, S, E). value: (B, S, F).
        parameters: ``query_weight`` (D, H*K), ``key_weight`` (E, G*K),
            ``value_weight`` (F, G*V), ``output_weight`` (H*V, D), and where there are
            biases ``query_bias`` (H*K), ``key_bias`` (G*K), ``value_bias`` (G*V),
            ``output_bias`` (D).
        value_norm: epsilon of the norm, which has no scale; None leaves values as
            they are.
        mask, causal: as in ``grouped_query_attention``.
        returns: output (B, T, D), weights (B, H, T, S).

    Edge case: a query that may attend to nothing gets the output's bias.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or G does not divide H.

    Source: Ainslie et al. 2023 (arXiv:2305.13245), section 2.2; the norm of values:
        Gemma 3n, ``Gemma3nTextAttention`` in ``transformers`` 5.23.0.
    """
    names = ("query_weight", "key_weight", "value_weight", "output_weight")
    check_parameters(parameters, *names)
    queries = split_heads(project(query, parameters, "query"), num_heads)
    keys = split_heads(project(key, parameters, "key"), num_kv_heads)
    values = split_heads(project(value, parameters, "value"), num_kv_heads)
    if value_norm is not None:
        square = np.mean(values**2, axis=-1, keepdims=True)
        values = values / np.sqrt(square + value_norm)
    context, weights = grouped_query_attention(
        queries, keys, values, mask, causal=causal
    )
    return project(merge_heads(context), parameters, "output"), weights
