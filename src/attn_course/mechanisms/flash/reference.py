"""Flash attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.shapes import check_arrays, check_at_least, check_attention
from attn_course.mechanisms.flash.shared import blocks, keys_before, memory_traffic

__all__ = ["flash_attention", "memory_traffic", "online_softmax"]
LOWEST = np.finfo(np.float64).min  # finite: minus infinity minus itself is NaN


def renew(
    score: np.ndarray, highest: np.ndarray, total: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One block of scores more: the new highest and total, what is kept, and exp."""
    new = np.maximum(highest, score.max(axis=-1, keepdims=True))
    kept = np.exp(highest - new)
    part = np.exp(score - new)
    return new, kept * total + part.sum(axis=-1, keepdims=True), kept, part


def online_softmax(score: np.ndarray, *, block_size: int) -> np.ndarray:
    """Softmax over the last axis, whose sum is found in one pass, block by block.

    highest' = max(highest, score of the block)
    total'   = exp(highest - highest') * total + sum of exp(score - highest')
    weight   = exp(score - highest) / total, with the last of both

    Shapes:
        score: (..., S).
        block_size: scores that are looked at together.
        returns: the shape of score.

    Edge case: a score of minus infinity is blocked; a row of nothing else is zeros.

    Raises:
        ValueError: block_size is no whole number of at least 1.

    Source: Milakov & Gimelshein 2018 (arXiv:1805.02867), Algorithm 3, which takes one
        score at a time.

    >>> online_softmax(np.array([1.0, 2.0, 4.0]), block_size=2).round(3)
    array([0.042, 0.114, 0.844])
    """
    check_arrays(score=score)
    check_at_least(1, block_size=block_size)
    score = np.asarray(score, np.float64)
    highest, total = first(score.shape[:-1])
    for block in blocks(score.shape[-1], block_size):
        highest, total, _, _ = renew(score[..., block], highest, total)
    return np.exp(score - highest) / np.where(total == 0, 1.0, total)


def first(shape):
    """The highest score and the total before any score: (..., 1) each."""
    return np.full((*shape, 1), LOWEST), np.zeros((*shape, 1))


def flash_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
    block_size: int = 128,
) -> tuple[np.ndarray, None]:
    """Attention of ``scaled_dot_product_attention``, tile by tile.

    for a block of queries, for every block of keys:
        score    = query @ key^T / sqrt(K); minus infinity where blocked
        highest' = max(highest, score)
        kept     = exp(highest - highest')
        total    = kept * total   + sum of exp(score - highest')
        context  = kept * context + exp(score - highest') @ value
    output = context / total

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean (T, S), or as many axes as the scores: (B, 1, T, S), (B, 1, 1, S).
        causal: True also blocks keys that stand after the query (see ``causal_mask``);
            blocks of such keys alone are not visited.
        block_size: queries and keys of a tile. In PyTorch and TensorFlow the keys; a
            tile has four times as many queries.
        returns: output (..., T, V), and None in place of weights.

    Edge case: a query that may attend to nothing gets a zero output.

    Raises:
        ValueError: a shape, dtype or mask is not as above, T, S or K is 0, or
            block_size is no whole number of at least 1.

    Source: Dao 2023 (FlashAttention-2, arXiv:2307.08691), Algorithm 1.
    Differs: a row that may see nothing has a total of 0 and is not divided.
    """
    check_attention(query, key, value, mask)
    check_at_least(1, block_size=block_size)
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    T, S = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = np.broadcast_to(mask, (*query.shape[:-1], S))  # a view
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    for rows in blocks(T, block_size):
        highest, total = first(output[..., rows, 0].shape)
        context = output[..., rows, :]
        for columns in blocks(keys_before(rows.stop, T, S, causal), block_size):
            score = query[..., rows, :] @ np.swapaxes(key[..., columns, :], -1, -2)
            score = score * query.shape[-1] ** -0.5
            if causal:
                last = np.arange(T)[rows, None] + S - T
                score = np.where(np.arange(S)[columns] <= last, score, -np.inf)
            if mask is not None:
                score = np.where(mask[..., rows, columns], score, -np.inf)
            highest, total, kept, part = renew(score, highest, total)
            context = kept * context + part @ value[..., columns, :]
        output[..., rows, :] = context / np.where(total == 0, 1.0, total)
    return output, None
