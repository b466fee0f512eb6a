"""Sparse blocks in PyTorch: only the blocks that count are computed.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.masks.patterns import check_layout_shape
from attn_course.core.masks.pytorch import Mask
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.block_sparse import shared
from attn_course.mechanisms.block_sparse.shared import BigBirdSizes, BlockSizes
from attn_course.mechanisms.blocks.pytorch import (
    MEMORY_GROUP,
    PatternAttention,
    Result,
    attend,
    cut,
    from_blocks,
    over_heads,
    to_blocks,
)
from attn_course.mechanisms.blocks.shared import check_not_causal, check_pattern

__all__ = [
    "BigBirdAttention",
    "BlockSparseAttention",
    "big_bird_attention",
    "block_sparse_attention",
]

# Numbers in a compiled graph, not a part of it.
plan = torch.compiler.assume_constant_result(shared.plan)
big_bird_plan = torch.compiler.assume_constant_result(shared.big_bird_plan)


def block_sparse_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
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
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
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
    # The length of a range is a number: a graph that has a symbol for it is made anew.
    T, S = len(range(query.shape[-2])), len(range(key.shape[-2]))
    shape, parts = big_bird_plan(T, S, block_size, num_random, seed)
    how |= {"shape": shape, "parts": parts, "block_size": block_size}
    how["whole"] = mask is None

    def aligned(query, *keys, **how):
        front = (S - T) % block_size
        query = cut(query, -front, T)  # so that its blocks begin where the keys' do
        return cut(chosen_blocks(query, *keys, **how), front, front + T)

    return over_heads(aligned, query, key, value, mask, **how)


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
    T, S, C = query.shape[1], key.shape[1], block_size
    N, M = shape
    whole = whole and not causal and M * C == S  # nothing within a block is blocked
    query = to_blocks(cut(query, 0, N * C), C)
    keys = [to_blocks(cut(x, 0, M * C), C) for x in (key, value, seen)]
    i, j = (torch.arange(n * C, device=query.device).view(n, C) for n in (N, M))

    def rows(chosen, columns, sees):
        near = [gather(x, columns) for x in keys]
        allowed = near[2].mT & sees
        if causal:
            at = j[columns].flatten(1)[:, None]
            allowed = allowed & (at <= i[chosen][..., None] + S - T)
        mask = None if whole and sees else allowed
        return attend(query[:, chosen], *near[:2], mask, **how)

    contexts, order = [], []
    for chosen, columns, sees in rows_in_parts(parts, query):
        order.extend(chosen)
        columns = torch.tensor(columns, device=query.device)
        contexts.append(rows(chosen, columns, sees))
    back = sorted(range(N), key=order.__getitem__)
    return cut(from_blocks(torch.cat(contexts, 1)[:, back]), 0, T)


def rows_in_parts(parts, query):
    """The parts of a plan, each in parts where that saves memory."""
    (Z, _, C), learns = query.shape[:3], query.requires_grad
    for chosen, columns, sees in parts:
        size = len(chosen)
        if not learns and not torch.compiler.is_compiling():
            size = max(1, MEMORY_GROUP // (Z * C))
        for n in range(0, len(chosen), size):
            yield chosen[n : n + size], columns[n : n + size], sees


def gather(blocks, columns):
    """(Z, M, C, X) and the columns (N, m) of each row -> (Z, N, m * C, X)."""
    found = blocks.index_select(1, columns.flatten())
    return found.unflatten(1, tuple(columns.shape)).flatten(2, 3)
