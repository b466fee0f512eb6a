"""Sparse blocks in TensorFlow: only the blocks that count are computed.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.masks.patterns import check_layout_shape
from attn_course.core.masks.tf import Mask
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.block_sparse.shared import (
    BigBirdSizes,
    BlockSizes,
    big_bird_plan,
    plan,
)
from attn_course.mechanisms.blocks.shared import check_not_causal, check_pattern
from attn_course.mechanisms.blocks.tf import (
    CACHE_GROUP,
    PatternAttention,
    Result,
    attend,
    cut,
    from_blocks,
    over_heads,
    sizes,
    to_blocks,
    turned,
)

__all__ = [
    "BigBirdAttention",
    "BlockSparseAttention",
    "big_bird_attention",
    "block_sparse_attention",
]


def block_sparse_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    layout: Any,
    block_size: int,
    mask: Mask = None,
    *,
    causal: bool = False,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.block_sparse_attention``.

    Rows of the layout with as many blocks are computed together. The layout is read
    while a graph is made. The weights are None.
    """
    check_pattern(query, key, value, mask)
    how = {"layout": layout, "block_size": block_size, "causal": causal}
    return block_sparse(query, key, value, mask, softmax=softmax, scale=scale, **how)


def block_sparse(query, key, value, mask, *, layout, block_size, **how):
    """``block_sparse_attention`` of what was checked."""
    shape, parts = plan(layout, block_size)
    check_layout_shape(shape, block_size, query.shape[-2], key.shape[-2])
    how |= {"shape": shape, "parts": parts, "block_size": block_size}
    whole = mask is None
    return over_heads(chosen_blocks, query, key, value, mask, whole=whole, **how)


def big_bird_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    block_size: int,
    num_random: int,
    seed: int,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.big_bird_attention``.

    The layout depends on the length, so a graph is made for one length. The weights
    are None.
    """
    check_at_least(1, block_size=block_size)
    check_pattern(query, key, value, mask)
    check_at_least(0, num_random=num_random)
    how = {"block_size": block_size, "num_random": num_random, "seed": seed}
    return big_bird(query, key, value, mask, softmax=softmax, scale=scale, **how)


def big_bird(query, key, value, mask, *, block_size, num_random, seed, **how):
    """``big_bird_attention`` of what was checked."""
    T, S = query.shape[-2], key.shape[-2]
    if T is None or S is None:
        raise ValueError("query and key must have known lengths, got None in a graph")
    shape, parts = big_bird_plan(T, S, block_size, num_random, seed)
    how |= {"shape": shape, "parts": parts, "block_size": block_size}
    how["whole"] = mask is None

    def aligned(query, *keys, **how):
        front = (S - T) % block_size
        query = cut(query, -front, T)  # so that its blocks begin where the keys' do
        return cut(chosen_blocks(query, *keys, **how), front, front + T)

    return over_heads(aligned, query, key, value, mask, **how)


@keras.saving.register_keras_serializable("attn_course")
class BlockSparseAttention(PatternAttention):
    """A layer whose heads see the blocks of a layout; it fits one length in blocks.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``block_sparse_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = BlockSizes
    pattern = staticmethod(block_sparse)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        layout: Any,
        block_size: int,
        **options: Any,
    ) -> None:
        own = {"layout": layout, "block_size": block_size}
        super().__init__(model_dim, num_heads, own=own, **options)


@keras.saving.register_keras_serializable("attn_course")
class BigBirdAttention(PatternAttention):
    """A layer of BigBird: ends, window and random blocks; it is never causal.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``big_bird_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = BigBirdSizes
    pattern = staticmethod(big_bird)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        block_size: int,
        num_random: int,
        seed: int,
        **options: Any,
    ) -> None:
        own = {"block_size": block_size, "num_random": num_random, "seed": seed}
        super().__init__(model_dim, num_heads, own=own, **options)

    def attend(self, query, key, value, mask, *, causal, **options):
        check_not_causal(causal)
        return super().attend(query, key, value, mask, **options)


def chosen_blocks(
    query, key, value, seen, shape, parts, block_size, whole, causal=False, **how
):
    """The context of queries that see the key blocks in their row of the layout."""
    T, S, C = sizes(query)[1], sizes(key)[1], block_size
    N, M = shape
    whole = (
        whole and not causal and isinstance(S, int) and S == M * C
    )  # nothing within a block is blocked
    query = to_blocks(cut(query, 0, N * C), C)
    keys = [to_blocks(cut(x, 0, M * C), C) for x in (key, value, seen)]
    i, j = (tf.reshape(tf.range(n * C), (n, C)) for n in (N, M))

    def rows(chosen, columns, sees):
        near = [gather(x, columns) for x in keys]
        allowed = turned(near[2]) & sees
        if causal:
            at = tf.reshape(tf.gather(j, columns), (len(chosen), 1, -1))
            allowed = allowed & (at <= tf.gather(i, chosen)[..., None] + S - T)
        mask = None if whole and sees else allowed
        return attend(tf.gather(query, chosen, axis=1), *near[:2], mask, **how)

    contexts, order = [], []
    for chosen, columns, sees in rows_in_parts(parts, query):
        order.extend(chosen)
        contexts.append(rows(chosen, columns, sees))
    back = sorted(range(N), key=order.__getitem__)
    return cut(from_blocks(tf.gather(tf.concat(contexts, 1), back, axis=1)), 0, T)


def rows_in_parts(parts, query):
    """The parts of a plan, each in parts where that saves memory."""
    size = max(1, CACHE_GROUP // ((query.shape[0] or 1) * query.shape[2]))
    for chosen, columns, sees in parts:
        for n in range(0, len(chosen), size):
            yield chosen[n : n + size], columns[n : n + size], sees


def gather(blocks, columns):
    """(Z, M, C, X) and the columns (N, m) of each row -> (Z, N, m * C, X)."""
    Z, _, size, width = sizes(blocks)
    found = tf.gather(blocks, columns, axis=1)
    return tf.reshape(found, (Z, len(columns), len(columns[0]) * size, width))
