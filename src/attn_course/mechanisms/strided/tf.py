"""The Sparse Transformer's patterns in TensorFlow: strided and fixed.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.masks.patterns import check_summary
from attn_course.core.masks.tf import Mask
from attn_course.core.precision.tf import wide
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.blocks.tf import (
    PatternAttention,
    Result,
    attend,
    beside,
    blocks_in,
    cut,
    from_blocks,
    from_columns,
    in_parts,
    near_keys,
    over_heads,
    sizes,
    to_blocks,
    to_columns,
    turned,
)
from attn_course.mechanisms.dot_product.tf import allowed_softmax
from attn_course.mechanisms.strided.shared import (
    FixedSizes,
    Heads,
    StridedSizes,
    check_strided,
    half_of_heads,
)

__all__ = ["FixedAttention", "StridedAttention", "fixed_attention", "strided_attention"]
ROWS = 128  # queries whose summaries are cut where their future begins


def strided_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    stride: int,
    heads: Heads = "merged",
    causal: bool = True,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.strided_attention``.

    Folded into rows of ``stride``, a column is dense attention over T / stride
    positions. Merged forms T x (2 stride + S / stride) scores, split
    T x (2 stride + 64 + S / stride) in half of the heads. The weights are None.
    """
    check_strided(stride, heads)
    check_pattern(query, key, value, mask)
    how = {"causal": causal, "softmax": softmax, "scale": scale}
    return strided(query, key, value, mask, stride=stride, heads=heads, **how)


def strided(query, key, value, mask, *, stride, heads, softmax=None, **how):
    """``strided_attention`` of what was checked."""
    inputs = query, key, value, mask
    if heads == "merged":
        how |= {"softmax": softmax, "stride": stride}
        return over_heads(row_and_column, *inputs, **how)
    half, contexts = half_of_heads(query), []
    row = near_keys, 0, {"window": stride + 1}
    column = columns, half, {"stride": stride, "whole": mask is None}
    for context_of, start, own in (row, column):
        part = [some_heads(x, start, half) for x in inputs]
        how["softmax"] = softmax and of_some_heads(softmax, start, half)
        contexts.append(over_heads(context_of, *part, **own, **how)[0])
    return tf.concat(contexts, -3), None


def fixed_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    stride: int,
    summary: int,
    causal: bool = True,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.fixed_attention``.

    A block of queries has its own block of keys beside the summaries of the others.
    The weights are None.
    """
    check_summary(stride, summary)
    check_pattern(query, key, value, mask)
    how = {"causal": causal, "softmax": softmax, "scale": scale}
    return fixed(query, key, value, mask, stride=stride, summary=summary, **how)


def fixed(query, key, value, mask, **how):
    """``fixed_attention`` of what was checked."""
    return over_heads(own_and_summaries, query, key, value, mask, **how)


class SparseTransformerAttention(PatternAttention):
    """A pattern that is causal unless the call says ``causal=False``."""

    def call(
        self,
        query: tf.Tensor,
        key: tf.Tensor | None = None,
        value: tf.Tensor | None = None,
        mask: Mask = None,
        *,
        causal: bool = True,
        **options: Any,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """As ``AttentionLayer``; causal where nothing else is said, as in the paper."""
        return super().call(query, key, value, mask, causal=causal, **options)


@keras.saving.register_keras_serializable("attn_course")
class StridedAttention(SparseTransformerAttention):
    """A layer whose heads see the row, the column, or both; causal by default.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``strided_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = StridedSizes
    pattern = staticmethod(strided)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        heads: Heads = "merged",
        **options: Any,
    ) -> None:
        own = {"stride": stride, "heads": heads}
        super().__init__(model_dim, num_heads, own=own, **options)


@keras.saving.register_keras_serializable("attn_course")
class FixedAttention(SparseTransformerAttention):
    """A layer whose heads see their own block and all summaries; causal by default.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``fixed_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = FixedSizes
    pattern = staticmethod(fixed)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        summary: int,
        **options: Any,
    ) -> None:
        own = {"stride": stride, "summary": summary}
        super().__init__(model_dim, num_heads, own=own, **options)


def row_and_column(query, key, value, seen, stride, causal, softmax=None, scale=None):
    """One softmax over two parts: the row's scores and the column's."""
    T, S = sizes(query)[1], sizes(key)[1]
    front, first = (S - T) % stride, (S - T) // stride
    N, M = blocks_in(front + T, stride), blocks_in(S, stride)
    width = stride if causal else 2 * stride
    last = (first - 1 + N) * stride + width
    query = cut(query, -front, N * stride - front)
    query_ZNCK = scaled(to_blocks(query, stride), scale)
    near = (cut(x, (first - 1) * stride, last) for x in (key, value, seen))
    key_ZNLK, value_ZNLV, seen_ZNL1 = (to_blocks(wider(x), stride, width) for x in near)
    # (Z, M, C, X) -> (Z, C, M, X): a column's positions beside each other.
    far = (to_blocks(wider(cut(x, 0, M * stride)), stride) for x in (key, value, seen))
    key_ZCMK, value_ZCMV, seen_ZCM1 = (swapped(x) for x in far)

    n, m = tf.range(N), tf.range(M)
    i, j = tf.range(stride), tf.range(stride + width)
    rows_apart = (n[:, None, None] + first) - m
    rows_apart = rows_apart if causal else tf.abs(rows_apart)
    mask_near = (i[:, None] <= j) & (j <= i[:, None] + width) & turned(seen_ZNL1)
    mask_far = (rows_apart > 1) & swapped(turned(seen_ZCM1))  # 0 and 1 are near

    score_near = tf.matmul(query_ZNCK, key_ZNLK, transpose_b=True)
    score_far = swapped(tf.matmul(swapped(query_ZNCK), key_ZCMK, transpose_b=True))
    scores, masks = (score_near, score_far), (mask_near, mask_far)
    weights = joint_softmax(scores, masks, softmax)
    context = weights[0] @ value_ZNLV
    context = context + swapped(swapped(weights[1]) @ value_ZCMV)
    return tf.cast(cut(from_blocks(context), front, front + T), query.dtype)


def joint_softmax(scores, masks, softmax=None):
    """Softmax over the last axes of several scores together, taken apart again."""
    masks = [
        tf.broadcast_to(m, tf.shape(s)) for m, s in zip(masks, scores, strict=True)
    ]
    softmax = allowed_softmax if softmax is None else softmax
    weights = softmax(tf.concat(scores, -1), tf.concat(masks, -1))
    first = sizes(scores[0])[-1]
    return weights[..., :first], weights[..., first:]


def columns(query, key, value, seen, stride, causal, whole, **how):
    """The context of queries that see the positions a multiple of stride away."""
    (Z, T), S = sizes(query)[:2], sizes(key)[1]
    front, first = (S - T) % stride, (S - T) // stride
    query = to_columns(query, stride, front)
    everywhere = tf.repeat(seen, Z // sizes(seen)[0], 0)
    key, value, seen = (to_columns(x, stride) for x in (key, value, everywhere))
    if causal and whole and isinstance(T, int) and T == S:
        context = attend(query, key, value, causal=True, **how)
    else:
        allowed = turned(seen)
        if causal:
            n, m = tf.range(sizes(query)[1])[:, None], tf.range(sizes(key)[1])
            allowed = allowed & (m <= n + first)
        context = attend(query, key, value, allowed, **how)
    return from_columns(context, stride, front, T)


def own_and_summaries(query, key, value, seen, stride, summary, causal, **how):
    """The context of queries that see their own block and summaries of the others."""
    T, S, C = sizes(query)[1], sizes(key)[1], stride
    front, first = (S - T) % C, (S - T) // C
    N, M = blocks_in(front + T, C), blocks_in(S, C)
    query = cut(query, -front, N * C - front)
    keys = key, value, seen
    summaries = [to_blocks(cut(x, 0, M * C), C)[:, :, -summary:] for x in keys]
    summaries = [from_blocks(x) for x in summaries]
    i, of_block = tf.range(C), tf.range(M * summary) // summary

    def rows(start, stop):
        near = [to_blocks(cut(x, first * C + start, first * C + stop), C) for x in keys]
        near[2] = turned(near[2]) & (i <= i[:, None] + (0 if causal else C))
        n = tf.range(start // C, stop // C)[:, None, None]
        limit = M * summary
        if causal and isinstance(stop, int) and isinstance(first, int):
            limit = max(0, min(M, first + stop // C - 1)) * summary
        others = [x[:, :limit] for x in summaries]
        distance = n + first - of_block[:limit]
        allowed = distance > 0 if causal else distance != 0
        others[2] = tf.repeat(allowed & turned(others[2])[:, None], C, 2)
        asked = to_blocks(query[:, start:stop], C)
        return from_blocks(attend(asked, *beside(others, near), **how))

    size = max(1, ROWS // C) * C
    return cut(in_parts(rows, query, size), front, front + T)


def some_heads(x, start, count):
    """Heads of (..., H, positions, X), or all where the axis has size 1."""
    if x is None or len(x.shape) < 3 or x.shape[-3] == 1:
        return x
    return x[..., start : start + count, :, :]


def swapped(x):
    """(Z, A, B, X) -> (Z, B, A, X)."""
    return tf.transpose(x, (0, 2, 1, 3))


def of_some_heads(softmax, start, count):
    """A softmax of all heads for a half of them: it gets their scores for both."""

    def some(score, mask):
        both = (x if x is None else tf.concat([x, x], 1) for x in (score, mask))
        return softmax(*both)[:, start : start + count]

    return some


def scaled(query, scale):
    """The query as the scores want it: divided by sqrt(K), in float32 or more."""
    query = wider(query)
    if scale is None:
        scale = tf.cast(sizes(query)[-1], query.dtype) ** -0.5
    return query * scale


def wider(x):
    """In the dtype to compute in, float32 or more; a mask stays as it is."""
    return x if x.dtype == tf.bool else tf.cast(x, wide(x.dtype))
