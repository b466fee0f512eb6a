"""The Sparse Transformer's patterns in TensorFlow: strided and fixed.

The formulas stand in ``reference.py``.
"""

from typing import Any

from attn_course.blocks.shared import (
    check_half,
    check_pattern,
    check_unweighted,
    half_of_heads,
)
from attn_course.blocks.tf import (
    Result,
    attend_wide,
    beside,
    cut,
    fold,
    in_parts,
    merge,
    over_heads,
    sizes,
    split,
    turned,
    unfold,
)
from attn_course.dot_product.tf import softmax, wide
from attn_course.frameworks import keras, tf
from attn_course.layers.tf import AttentionLayer, Mask
from attn_course.masks.patterns import check_summary
from attn_course.shapes import check_at_least, check_choice
from attn_course.window.tf import near_keys

__all__ = [
    "FixedAttention",
    "StridedAttention",
    "fixed_attention",
    "strided_attention",
]
ROWS = 128  # queries whose summaries are cut where their future begins


def strided_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    stride: int,
    heads: str = "merged",
    causal: bool = True,
) -> Result:
    """See ``attn_course.reference.strided_attention``.

    Folded into rows of ``stride``, a column is dense attention over T / stride
    positions. Merged forms T x (2 stride + S / stride) scores, split
    T x (2 stride + 64 + S / stride) in half of the heads. The weights are None.
    """
    check_choice("heads", heads, ("merged", "split"))
    check_at_least(1, stride=stride)
    check_pattern(query, key, value, mask)

    def merged(*heads):
        return row_and_column(*heads, stride, causal)

    def row(*heads):
        return near_keys(*heads, stride + 1, causal)

    def column(*heads):
        return all_columns(*heads, stride, causal)

    inputs = query, key, value, mask
    if heads == "merged":
        return over_heads(merged, *inputs)
    half = half_of_heads(query)
    contexts = []
    for attend_heads, start in ((row, 0), (column, half)):
        part = [some_heads(x, start, half) for x in inputs]
        contexts.append(over_heads(attend_heads, *part)[0])
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
) -> Result:
    """See ``attn_course.reference.fixed_attention``.

    A block of queries has its own block of keys beside the summaries of the others.
    The weights are None.
    """
    check_summary(stride, summary)
    check_pattern(query, key, value, mask)

    def attend_heads(*heads):
        return own_and_summaries(*heads, stride, summary, causal)

    return over_heads(attend_heads, query, key, value, mask)


@keras.saving.register_keras_serializable("attn_course")
class StridedAttention(AttentionLayer):
    """A layer whose heads see the row, the column, or both.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``strided_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        heads: str = "merged",
        **options: Any,
    ) -> None:
        check_at_least(1, stride=stride)
        check_choice("heads", heads, ("merged", "split"))
        check_half(heads, num_heads)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"stride": stride, "heads": heads}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("stride", "heads")}
        return strided_attention(query, key, value, mask, causal=causal, **sizes)


@keras.saving.register_keras_serializable("attn_course")
class FixedAttention(AttentionLayer):
    """A layer whose heads see their own block and the summaries of all.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``fixed_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        summary: int,
        **options: Any,
    ) -> None:
        check_summary(stride, summary)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"stride": stride, "summary": summary}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("stride", "summary")}
        return fixed_attention(query, key, value, mask, causal=causal, **sizes)


def row_and_column(query, key, value, seen, stride, causal):
    """One softmax over two parts: the row's scores and the column's."""
    T, S = sizes(query)[1], sizes(key)[1]
    front, first = (S - T) % stride, (S - T) // stride
    N, M = (front + T + stride - 1) // stride, (S + stride - 1) // stride
    width = stride if causal else 2 * stride
    last = (first - 1 + N) * stride + width
    query_ZNCK = scaled(split(cut(query, -front, N * stride - front), stride))
    near = (cut(x, (first - 1) * stride, last) for x in (key, value, seen))
    key_ZNLK, value_ZNLV, seen_ZNL1 = (split(wider(x), stride, width) for x in near)
    # (Z, M, C, X) -> (Z, C, M, X): a column's positions beside each other.
    far = (split(wider(cut(x, 0, M * stride)), stride) for x in (key, value, seen))
    key_ZCMK, value_ZCMV, seen_ZCM1 = (swapped(x) for x in far)

    n, m = tf.range(N), tf.range(M)
    i, j = tf.range(stride), tf.range(stride + width)
    rows_apart = (n[:, None, None] + first) - m
    rows_apart = rows_apart if causal else tf.abs(rows_apart)
    mask_near = (i[:, None] <= j) & (j <= i[:, None] + width) & turned(seen_ZNL1)
    mask_far = (rows_apart > 1) & swapped(turned(seen_ZCM1))  # 0 and 1 are near

    score_near = tf.matmul(query_ZNCK, key_ZNLK, transpose_b=True)
    score_far = swapped(tf.matmul(swapped(query_ZNCK), key_ZCMK, transpose_b=True))
    weights = joint_softmax((score_near, score_far), (mask_near, mask_far))
    context = weights[0] @ value_ZNLV
    context = context + swapped(swapped(weights[1]) @ value_ZCMV)
    return tf.cast(cut(merge(context), front, front + T), query.dtype)


def joint_softmax(scores, masks):
    """Softmax over the last axes of several scores together, taken apart again."""
    masks = [
        tf.broadcast_to(m, tf.shape(s)) for m, s in zip(masks, scores, strict=True)
    ]
    weights = softmax(tf.concat(scores, -1), tf.concat(masks, -1))
    first = sizes(scores[0])[-1]
    return weights[..., :first], weights[..., first:]


def all_columns(query, key, value, seen, stride, causal):
    """The context of queries that see the positions a multiple of stride away."""
    (Z, T), S = sizes(query)[:2], sizes(key)[1]
    front, first = (S - T) % stride, (S - T) // stride
    query = fold(query, stride, front)
    everywhere = tf.repeat(seen, Z // sizes(seen)[0], 0)
    key, value, seen = (fold(x, stride) for x in (key, value, everywhere))
    allowed = turned(seen)
    if causal:
        n, m = tf.range(sizes(query)[1])[:, None], tf.range(sizes(key)[1])
        allowed = allowed & (m <= n + first)
    context = attend_wide(query, key, value, allowed)
    return unfold(context, stride, front, T)


def own_and_summaries(query, key, value, seen, stride, summary, causal):
    """The context of queries that see their own block and summaries of the others."""
    T, S, C = sizes(query)[1], sizes(key)[1], stride
    front, first = (S - T) % C, (S - T) // C
    N, M = (front + T + C - 1) // C, (S + C - 1) // C
    query = cut(query, -front, N * C - front)
    keys = key, value, seen
    summaries = [split(cut(x, 0, M * C), C)[:, :, -summary:] for x in keys]
    summaries = [merge(x) for x in summaries]
    i, of_block = tf.range(C), tf.range(M * summary) // summary

    def rows(start, stop):
        near = [split(cut(x, first * C + start, first * C + stop), C) for x in keys]
        near[2] = turned(near[2]) & (i <= i[:, None] + (0 if causal else C))
        n = tf.range(start // C, stop // C)[:, None, None]
        limit = M * summary
        if causal and isinstance(stop, int) and isinstance(first, int):
            limit = max(0, min(M, first + stop // C - 1)) * summary
        others = [x[:, :limit] for x in summaries]
        distance = n + first - of_block[:limit]
        allowed = distance > 0 if causal else distance != 0
        others[2] = tf.repeat(allowed & turned(others[2])[:, None], C, 2)
        return merge(attend_wide(split(query[:, start:stop], C), *beside(others, near)))

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


def scaled(query):
    """The query as the scores want it: divided by sqrt(K), in float32 or more."""
    query = wider(query)
    return query * tf.cast(sizes(query)[-1], query.dtype) ** -0.5


def wider(x):
    """In the dtype to compute in, float32 or more; a mask stays as it is."""
    return x if x.dtype == tf.bool else tf.cast(x, wide(x.dtype))
