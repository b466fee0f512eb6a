"""Additive attention and its decoder in PyTorch. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import (
    Pair,
    Parts,
    Tensor,
    is_mixed,
    make_linear,
    reset_linear,
)
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_floats
from attn_course.mechanisms.bahdanau.shared import check_additive
from attn_course.mechanisms.dot_product.pytorch import allowed_softmax as softmax
from attn_course.mechanisms.recurrent.pytorch import ContextDecoder
from attn_course.mechanisms.recurrent.shared import as_rows, check_memory, whole_sizes

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


def in_wide(formula, *inputs, **options):
    """A formula computed in float32 or more, and rounded once to the first's dtype."""
    dtype = inputs[0].dtype
    found = formula(*(x if x is None else x.to(wide(dtype)) for x in inputs), **options)
    return tuple(x.to(dtype) for x in found)


def additive_attention(
    query: Tensor, memory: Tensor, parameters: dict[str, Tensor], mask: Mask = None
) -> Pair:
    """``attention`` of checked arguments: ``reference.additive_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_additive(query, memory, parameters, mask)
    queries = query @ parameters["query_weight"]
    keys = memory @ parameters["memory_weight"]
    vector, allowed = parameters["score_weight"], as_rows(to_mask(mask, query))
    return in_wide(attention, queries, keys, memory, vector, mask=allowed)


class MemoryAttention(Parts):
    """What attentions over one memory share; they differ in ``attend``.

    width: of the projected query, None where it stays as it is. Additive scores have a
    map of the memory and a vector too.
    """

    parity_joint = "_"  # query.weight is called query_weight in ``attn_course.parity``

    def __init__(self, config, width, additive, *, device=None, dtype=None):
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.config, self.query, self.memory = config, None, None
        self.score_weight = None
        if width is not None:
            self.query = make_linear(config["query_dim"], width, False, **options)
        if additive:
            self.memory = make_linear(config["memory_dim"], width, False, **options)
            self.score_weight = vector(width, **options)

    def reset_parameters(self) -> None:
        """Draw all weights anew, as at construction."""
        reset(self.query, self.memory, self.score_weight)

    def forward(self, query: Tensor, memory: Tensor, mask: Mask = None) -> Pair:
        """Attend from every query to the memory.

        Shapes:
            query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
            -> context (B, T, memory_dim), weights (B, T, S).

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        mask = self.check(query, memory, mask)
        return self.attend(query, memory, self.prepare(memory), mask)

    def prepare(self, memory):
        """The keys, which no query changes: decoders compute them once per sentence."""
        return memory if self.memory is None else self.memory(memory)

    def check(self, query, memory, mask):
        """Raise ValueError unless the inputs fit the layer; returns the mask."""
        known = {"D": self.config["query_dim"], "E": self.config["memory_dim"]}
        mixed = is_mixed(self.query, query)
        check_memory(query, memory, mask, known=known, mixed=mixed)
        if not mixed and self.query is not None:
            check_floats(query_weight=self.query.weight, query=query)
        return to_mask(mask, query)


def vector(size: int, **options: Any) -> torch.nn.Parameter:
    """A vector of parameters, drawn with a variance of 1 / size."""
    made = torch.nn.Parameter(torch.empty(size, **options))
    reset(made)
    return made


def reset(*parts: Any) -> None:
    """Draw linear maps and vectors anew; None is passed over."""
    for part in parts:
        if isinstance(part, torch.nn.Parameter):
            torch.nn.init.normal_(part, std=len(part) ** -0.5)
        elif part is not None:
            reset_linear(part)


class AdditiveAttention(MemoryAttention):
    """Additive attention: ``attn_course.reference.additive_attention``.

    options: device and dtype.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self, query_dim: int, memory_dim: int, hidden_dim: int, **options: Any
    ) -> None:
        sizes = {"query_dim": query_dim, "memory_dim": memory_dim}
        config = whole_sizes(**sizes, hidden_dim=hidden_dim)
        super().__init__(config, hidden_dim, True, **options)

    def attend(self, query, memory, keys, mask):
        """``attention`` of checked arguments."""
        inputs = self.query(query), keys, memory, self.score_weight
        return in_wide(attention, *inputs, mask=as_rows(mask))


class BahdanauDecoder(ContextDecoder):
    """Attends to the memory before every step: ``reference.bahdanau_decoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    start_share = 2

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
        sizes = vocab_size, embedding_dim, hidden_dim
        super().__init__(*sizes, memory_dim=memory_dim, **options)
        self.config |= whole_sizes(attention_dim=attention_dim)
        widths = hidden_dim, memory_dim, attention_dim
        self.attention = AdditiveAttention(*widths, **options)

    def start(self, last_state):
        """The first state, from the backward GRU's last alone (A.2.2)."""
        return super().start(last_state[:, last_state.shape[-1] // 2 :])

    def prepare(self, memory, mask=None):
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def attend(self, state, memory, prepared, mask):
        """Attend from the previous state, s[i-1]: context (B, E), weights (B, S)."""
        found = self.attention.attend(state[:, None], memory, prepared, mask)
        return tuple(x[:, 0] for x in found)
