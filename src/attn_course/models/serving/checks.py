"""What an engine refuses: models, sizes, and requests it could never serve."""

import math
from typing import Any

import numpy as np

from attn_course.core.paged.shared import Blocks, blocks_of
from attn_course.core.shapes import check_at_least
from attn_course.models.decoding.shared import check_generation


def check_sizes(
    blocks: Any, block_size: int, max_requests: int, token_budget: int | None
) -> None:
    """Raise ValueError unless an engine of these sizes can go on at every step."""
    check_at_least(1, blocks=blocks, block_size=block_size, max_requests=max_requests)
    if isinstance(blocks, Blocks):
        raise ValueError("blocks must be a number: engines share no pool, got one")
    if token_budget is not None:  # a request that writes never waits
        check_at_least(max_requests, token_budget=token_budget)


def reach_of(model: Any) -> float:
    """How many positions a model has: those of a learned encoding, else any number."""
    encoding = getattr(model, "encoding", None)
    return getattr(encoding, "max_length", None) or math.inf


def checked_prompt(
    engine: Any, prompt: Any, *, max_tokens: int, **choice: Any
) -> list[int]:
    """The tokens of a prompt that an engine can answer, however full it is now.

    Raises:
        ValueError: an argument is wrong, or all blocks or positions are too few.
    """
    rows = np.asarray(prompt, None if len(prompt) else "int64")[None]
    check_generation(engine.model, rows, None, max_tokens=max_tokens, **choice)
    positions = rows.shape[1] + max_tokens - 1
    wanted, have = blocks_of(positions, engine.block_size), len(engine.blocks.holders)
    if wanted > have:
        raise ValueError(f"blocks must be {wanted} for this request, got {have}")
    if positions > reach_of(engine.model):
        words = f"positions up to {positions} for this request"
        raise ValueError(f"model must have {words}, got {reach_of(engine.model)}")
    return rows[0].tolist()


def check_model(model: Any, kind: type) -> None:
    """Raise ValueError unless an engine can serve a model.

    Its layers must keep a key and a value of every position, and nothing else: a state
    or a window has no blocks to share, and a bias would have to know every request.
    """
    if not hasattr(model, "stack") or not hasattr(model, "logits"):
        came = type(model).__name__
        raise ValueError(f"model must be a LanguageModel, got {came}")
    own = "walk", "remember", "position", "new_cache"
    for layer in model.stack.layers:
        made = type(layer.attention)
        alike = all(getattr(made, name, 0) is getattr(kind, name) for name in own)
        if not alike or made.reads_positions:
            words = "keep a key and a value of every position"
            raise ValueError(f"layers must {words}, as MultiHeadAttention, got {made}")
        if getattr(layer.attention.rotary, "rule", None) is not None:
            words = "turn by positions alone: requests have no length in common"
            raise ValueError(f"layers must {words}, got {layer.attention.rotary}")
    if model.stack.bias is not None:
        came = type(model.stack.bias).__name__
        raise ValueError(f"model must have no bias on its scores, got {came}")
