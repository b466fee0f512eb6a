"""Shaw's relative attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.dot_product.reference import block_future, masked_softmax
from attn_course.multi_head.checks import check_dtypes
from attn_course.multi_head.reference import hide, merge_heads, project, split_heads
from attn_course.positional.reference import key_distance
from attn_course.relative.shared import check_relative

__all__ = ["relative_attention"]


def relative_attention(
    query,
    key,
    value,
    parameters,
    *,
    num_heads,
    mask=None,
    bias=None,
    causal=False,
    need_weights=True,
):
    """Attention over heads whose keys and values also say how far away they stand.

    r = clip(position of s - position of t, -max_distance, max_distance)
    score[t, s]  = query[t] . (key[s] + relative_key[r]) / sqrt(K)
    weight[t, :] = softmax(score[t, :]) over the keys that the mask allows
    context[t]   = sum over s of weight[t, s] * (value[s] + relative_value[r])
    output       = heads side by side @ output_weight

    with query, key and value projected into num_heads heads, and both tables shared by
    the heads.

    Shapes:
        query: (B, T, D). key, value: (B, S, D).
        mask: boolean (T, S), (B, 1, 1, S), (B, 1, T, S) or (B, H, T, S).
        bias: broadcastable to (B, H, T, S), added to the scaled scores.
        parameters: as in ``attn_course.relative``; max_distance is half of the rows
            of ``relative_key``, which stand for -max_distance to max_distance.
        returns: output (B, T, D), weights (B, H, T, S);
            weights are None for ``need_weights=False``.

    Edge case: a query that may attend to nothing gets a zero context.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Shaw, Uszkoreit & Vaswani 2018 (arXiv:1803.02155), section 3, equations 3
        and 4. As there, the vectors of all pairs take T * S * K numbers, which batch
        and heads share (section 3.3).
    Differs: the paper has no biases; here they are optional.
    """
    parameters = {name: np.asarray(x, np.float64) for name, x in parameters.items()}
    inputs = {"query": query, "key": key, "value": value}
    check_dtypes(inputs, {}, bias)
    check_relative(inputs, parameters, num_heads, mask=mask, bias=bias)
    queries, keys, values = (
        split_heads(project(x, parameters, name), num_heads)
        for name, x in hide(inputs, mask, causal).items()
    )
    most = len(parameters["relative_key"]) // 2
    distance = key_distance(query.shape[1], key.shape[1])
    row_TS = np.clip(distance, -most, most) + most
    score = np.einsum("bhtk,bhsk->bhts", queries, keys)
    score += np.einsum("bhtk,tsk->bhts", queries, parameters["relative_key"][row_TS])
    allowed = block_future(mask, query, key) if causal else mask
    score = score * queries.shape[-1] ** -0.5 + (0.0 if bias is None else bias)
    weights = masked_softmax(score, allowed)
    context = np.einsum("bhts,bhsv->bhtv", weights, values)
    far_TSV = parameters["relative_value"][row_TS]
    context += np.einsum("bhts,tsv->bhtv", weights, far_TSV)
    output = project(merge_heads(context), parameters, "output")
    return output, weights if need_weights else None
