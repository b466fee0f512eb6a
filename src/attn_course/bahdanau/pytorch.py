"""Additive attention and its decoder in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.bahdanau.shared import check_additive
from attn_course.dot_product.pytorch import softmax, wide
from attn_course.frameworks import torch
from attn_course.layers.pytorch import Mask, is_mixed, linear, reset_linear, to_mask
from attn_course.layers.shared import spell_config
from attn_course.recurrent.pytorch import ContextDecoder
from attn_course.recurrent.shared import (
    as_rows,
    check_memory,
    decoder_sizes,
    whole_sizes,
)
from attn_course.shapes import check_floats

__all__ = ["AdditiveAttention", "BahdanauDecoder", "additive_attention"]


def attention(queries, keys, memory, score_weight, mask=None):
    """The formula, equations 5 and 6 of the paper: softmax(v . tanh(W s + U h)) h.

    queries is W s, (B, T, A); keys is U h, (B, S, A).
    """
    score = additive_score(queries, keys, score_weight)
    weights = softmax(score, mask)
    return weights @ memory, weights


def additive_score(queries, keys, score_weight):
    """v . tanh(W s + U h) of every query and key: (B, T, S)."""
    hidden = torch.tanh(queries[:, :, None] + keys[:, None])
    return hidden @ score_weight


def in_wide(formula: Callable, *inputs: Any, **options: Any) -> Any:
    """A formula computed in float32 or more, and rounded once to the first's dtype."""
    dtype = inputs[0].dtype
    found = formula(*(x if x is None else x.to(wide(dtype)) for x in inputs), **options)
    if isinstance(found, tuple):
        return tuple(x.to(dtype) for x in found)
    return found.to(dtype)


def additive_attention(
    query: torch.Tensor,
    memory: torch.Tensor,
    parameters: dict[str, torch.Tensor],
    mask: Mask = None,
    *,
    keys: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """``attention`` of checked arguments: ``reference.additive_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_additive(query, memory, parameters, mask)
    queries = query @ parameters["query_weight"]
    keys = memory @ parameters["memory_weight"] if keys is None else keys
    vector, allowed = parameters["score_weight"], as_rows(to_mask(mask, query))
    return in_wide(attention, queries, keys, memory, vector, mask=allowed)


class MemoryAttention(torch.nn.Module):
    """What attentions over one memory share: the maps of query and memory, or None."""

    parity_joint = "_"  # query.weight is called query_weight in ``attn_course.parity``

    def reset_parameters(self) -> None:
        """Draw all weights anew, as at construction."""
        reset(self.query, self.memory, self.score_weight)

    def prepare(self, memory: torch.Tensor) -> torch.Tensor:
        """The keys, which no query changes: a decoder computes them once a sentence."""
        return memory if self.memory is None else self.memory(memory)

    def project(self, query, memory, mask, keys):
        """Check all; queries, keys unless they are given, and the mask as rows."""
        mixed = is_mixed(self.query, query)
        known = {"D": self.config["query_dim"], "E": self.config["memory_dim"]}
        check_memory(query, memory, mask, known=known, mixed=mixed)
        if not mixed and self.query is not None:
            check_floats(query_weight=self.query.weight, query=query)
        queries = query if self.query is None else self.query(query)
        keys = self.prepare(memory) if keys is None else keys
        return queries, keys, as_rows(to_mask(mask, query))

    def extra_repr(self) -> str:
        return spell_config(self.config)


def vector(size: int, **options: Any) -> torch.nn.Parameter:
    """A vector of parameters, drawn with a variance of 1 / size."""
    made = torch.nn.Parameter(torch.empty(size, **options))
    reset(made)
    return made


def reset(*parts: torch.nn.Linear | torch.nn.Parameter | None) -> None:
    """Draw linear maps and vectors anew; None is passed over."""
    for part in parts:
        if isinstance(part, torch.nn.Parameter):
            torch.nn.init.normal_(part, std=len(part) ** -0.5)
        elif part is not None:
            reset_linear(part)


class AdditiveAttention(MemoryAttention):
    """Additive attention: ``attn_course.reference.additive_attention``.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        hidden_dim: int,
        *,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        sizes = {"query_dim": query_dim, "memory_dim": memory_dim}
        self.config = whole_sizes(**sizes, hidden_dim=hidden_dim)
        options = {"device": device, "dtype": dtype}
        self.query = linear(query_dim, hidden_dim, use_bias=False, **options)
        self.memory = linear(memory_dim, hidden_dim, use_bias=False, **options)
        self.score_weight = vector(hidden_dim, **options)

    def forward(
        self,
        query: torch.Tensor,
        memory: torch.Tensor,
        mask: Mask = None,
        *,
        keys: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Attend from every query to the memory; keys are what ``prepare`` gave.

        Shapes:
            query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
            -> context (B, T, memory_dim), weights (B, T, S).

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        queries, keys, mask = self.project(query, memory, mask, keys)
        return in_wide(attention, queries, keys, memory, self.score_weight, mask=mask)


class BahdanauDecoder(ContextDecoder):
    """Attends to the memory before every step: ``reference.bahdanau_decoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        memory_dim: int,
        attention_dim: int,
        **options: Any,
    ) -> None:
        sizes = {"memory_dim": memory_dim, "attention_dim": attention_dim}
        sizes = decoder_sizes(vocab_size, embedding_dim, hidden_dim, **sizes)
        super().__init__(sizes, start_dim=memory_dim // 2, **options)
        widths = hidden_dim, memory_dim, attention_dim
        self.attention = AdditiveAttention(*widths, **options)

    def start(self, last_state: torch.Tensor) -> torch.Tensor:
        """The first state, from the right reader's last alone (appendix A.2.2)."""
        return super().start(last_state[:, last_state.shape[-1] // 2 :])

    def prepare(self, memory: torch.Tensor, mask: Mask = None) -> torch.Tensor:
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def attend(self, state, memory, prepared, mask):
        """Attend from the previous state, s[i-1]: context (B, E), weights (B, S)."""
        context, weights = self.attention(state[:, None], memory, mask, keys=prepared)
        return context[:, 0], weights[:, 0]
