"""The pass of an engine in PyTorch; ``shared.py`` says who is served when."""

from typing import Any

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.core.precision.pytorch import wide
from attn_course.models.language_model.shared import scale_of
from attn_course.models.serving.blocks import Batch
from attn_course.models.serving.checks import check_model
from attn_course.models.serving.shared import Scheduler

__all__ = ["Engine"]


class Engine(Scheduler):
    """Serve many requests with one model, one step for all at a time.

    blocks, block_size: the memory, N blocks of P positions of every layer, taken once.
    max_requests: how many write at once; token_budget: how many tokens a step may read,
        or None: whole prompts; prefix_cache: whether blocks are found again by name.

    The model is never changed, so several engines may share it.

    Raises:
        ValueError: a size is wrong, or the model can't be served.
    """

    def take_memory(self, model: torch.nn.Module, positions: int) -> tuple:
        """The keys and values of every layer."""
        check_model(model, AttentionLayer)
        return tuple(LayerMemory(x.attention, positions) for x in model.stack.layers)

    @torch.no_grad()
    def read(self, batch: Batch) -> np.ndarray:
        """The logits (R, N) after the last token of every request."""
        place = {"device": self.model.embedding.weight.device}
        *flat, groups = batch
        tensors = [torch.tensor(x, **place) for x in flat]
        groups = [[torch.tensor(x, **place) for x in group] for group in groups]
        logits = self.logits(*tensors, groups)
        return logits.to(wide(logits.dtype)).cpu().numpy()

    def logits(self, tokens, position, place, last, groups):
        """All tokens form one row (1, N); only attention tells the requests apart."""
        model = self.model
        known: dict = {}
        for memory in self.memory:
            memory.turn(position, place, groups, known)
        x = model.embedding(tokens[None]) * scale_of(model.config)
        first = max(0, int(position.max()) + 1 - len(position))
        x = model.encode(x, first, position[None], None)
        x, _ = model.stack(x, causal=True, need_weights=False, cache=self.memory)
        return model.logits(x[:, last])[0]


class LayerMemory:
    """A layer's keys and values in all blocks: the ``cache=`` of its attention.

    The layer's input is one row, the tokens of all requests. Work done token by token
    ignores that; attention takes the requests apart.
    """

    def __init__(self, attention: AttentionLayer, positions: int) -> None:
        self.layer = attention
        (G, K, V), like = attention.sizes.kept, attention.like()
        self.key = like.new_zeros(positions, G, K)
        self.value = like.new_zeros(positions, G, V)

    def turn(
        self, position: torch.Tensor, place: torch.Tensor, groups: Any, known: dict
    ) -> None:
        """Set what the next call works on, as ``Batch`` has it.

        known: each rotary encoding's waves, made once for all layers that share it.
        """
        rotary, self.place, self.groups = self.layer.rotary, place, groups
        steps = torch.arange(len(position), device=position.device)
        if rotary not in known and hasattr(rotary, "waves"):
            known[rotary] = rotary.waves(position, self.key.dtype)
        # Others add 0, 1, 2 ... to where they begin: here, for each token.
        self.first = known.get(rotary, position - steps)

    def next_position(self, mask: Any = None) -> Any:
        """Where a rotary encoding goes on for each token, or its waves."""
        return self.first

    def limit(self, T: int, mask: Any = None, bias: Any = None) -> tuple[Any, Any]:
        """Mask and bias, unchanged."""
        return mask, bias

    def update(self, key: torch.Tensor, value: torch.Tensor) -> tuple[Any, Any]:
        """Write keys and values (1, G, N, K) of all tokens into their blocks."""
        for store, chunk in ((self.key, key), (self.value, value)):
            store[self.place] = chunk[0].transpose(0, 1).to(store.dtype)
        return key, value

    def attend(self, query, key, value, mask, **how):
        """Attend from each request's queries, of (1, H, N, K), to its own past."""
        context = query.new_zeros(*query.shape[:3], self.value.shape[-1])
        how |= {"causal": False}
        for rows, seen, sees in self.groups:
            if len(rows):
                own = query[0, :, rows].transpose(0, 1)  # (B, H, T, K)
                past = [taken(x, seen) for x in (self.key, self.value)]
                if (repeats := self.layer.repeats) > 1:
                    past = [x.repeat_interleave(repeats, 1) for x in past]
                found, _ = self.layer.attend(own, *past, sees, **how)
                context[0, :, rows] = found.transpose(0, 1)
        return context, None


def taken(store, places):
    """Rows of all blocks at places (B, S): (B, G, S, K)."""
    # store[places] is the same, and takes three times as long.
    return (
        store.index_select(0, places.flatten())
        .unflatten(0, places.shape)
        .transpose(1, 2)
    )
