"""Luong's global and local attention, and their decoder, in PyTorch.

Formulas: ``reference.py``.
"""

from functools import partial
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import Pair, Tensor, make_linear
from attn_course.core.masks.pytorch import Mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_positive
from attn_course.mechanisms.bahdanau.pytorch import (
    MemoryAttention,
    additive_score,
    in_wide,
    reset,
    vector,
)
from attn_course.mechanisms.dot_product.pytorch import allowed_softmax as softmax
from attn_course.mechanisms.luong.shared import (
    OF_QUERY,
    PARITY_NAMES,
    Alignment,
    LuongState,
    Score,
    attention_config,
    check_local,
    check_longest,
    check_score_inputs,
    query_width,
)
from attn_course.mechanisms.recurrent.pytorch import RecurrentDecoder
from attn_course.mechanisms.recurrent.shared import as_rows

__all__ = [
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "local_window",
    "luong_score",
]


def attention(queries, keys, memory, score_weight, mask=None, window=None, *, score):
    """The formula of global attention, and of local attention with a window."""
    weights = softmax(pair_scores(queries, keys, score_weight, score=score), mask)
    weights = weights if window is None else weights * window
    return weights @ memory, weights


def pair_scores(queries, keys, score_weight=None, *, score):
    """The four scores, of query and memory after their projections: (B, T, S).

    queries is h, h W (general, location) or h W_1 (concat); keys is m or m W_2.
    """
    if score == "location":  # wherever the query points, whatever stands there
        return queries[..., : keys.shape[1]]
    if score == "concat":
        return additive_score(queries, keys, score_weight)
    return queries @ keys.mT


def luong_score(
    query: Tensor, memory: Tensor, parameters: dict[str, Tensor], *, score: Score
) -> Tensor:
    """``pair_scores`` of checked arguments: ``attn_course.reference.luong_score``."""
    check_score_inputs(query, memory, parameters, score)
    queries = query if score == "dot" else query @ parameters[OF_QUERY[score]]
    keys = memory @ parameters["memory_weight"] if score == "concat" else memory
    inputs = queries, keys, parameters.get("score_weight")
    return in_wide(lambda *x: (pair_scores(*x, score=score),), *inputs)[0]


def local_window(
    center: Tensor, size: int, *, half_width: float, gaussian: bool
) -> Tensor:
    """See ``attn_course.reference.local_window``.

    In float32 or more: bfloat16 holds no odd position beyond 256.
    """
    check_positive(half_width=half_width)
    center = center.to(wide(center.dtype))
    positions = torch.arange(size, dtype=center.dtype, device=center.device)
    distance = positions - center[..., None]
    inside = distance.abs() <= half_width
    sigma = half_width / 2
    height = torch.exp(-(distance**2) / (2 * sigma**2)) if gaussian else 1.0
    return torch.where(inside, height, torch.zeros_like(distance))


def by_rank(x: Tensor, mask: Tensor | None) -> Tensor:
    """See ``attn_course.mechanisms.luong.reference.by_rank``."""
    if mask is None:
        return x
    rank = (mask.cumsum(dim=-1) - 1).clamp(min=0)
    return x.gather(-1, rank.expand(*x.shape[:2], -1))


class LuongAttention(MemoryAttention):
    """Global attention: ``attn_course.reference.luong_attention``.

    options: device and dtype.

    Raises:
        ValueError: a size or the score is not as
        ``attn_course.mechanisms.luong.shared.attention_config`` says.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        *,
        score: Score = "dot",
        hidden_dim: int | None = None,
        max_length: int | None = None,
        **options: Any,
    ) -> None:
        sizes = query_dim, memory_dim, score, hidden_dim, max_length
        config = attention_config(*sizes)
        additive = score == "concat"
        super().__init__(config, query_width(config), additive, **options)
        self.parity_names = {"query": PARITY_NAMES.get(score, "query")}

    def attend(self, query, memory, keys, mask, first_position=0, window=None):
        """``attention`` of checked arguments."""
        mask = as_rows(mask)
        queries = query if self.query is None else self.query(query)
        if self.config["score"] == "location":
            check_longest(memory, self.config["max_length"])
            queries = by_rank(queries, mask)
        if window is not None:
            mask = window > 0 if mask is None else (window > 0) & mask
        inputs = queries, keys, memory, self.score_weight
        options = {"mask": mask, "window": window}
        return in_wide(attention, *inputs, score=self.config["score"], **options)


class LocalAttention(LuongAttention):
    """Local attention: ``attn_course.reference.local_attention``.

    Raises:
        ValueError: as in ``LuongAttention``; half_width is no whole number of at
        least 1, or the alignment is unknown.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        *,
        half_width: int,
        score: Score = "general",
        alignment: Alignment = "predictive",
        hidden_dim: int | None = None,
        max_length: int | None = None,
        **options: Any,
    ) -> None:
        check_local(half_width, alignment)
        sizes = {"hidden_dim": hidden_dim, "max_length": max_length}
        super().__init__(query_dim, memory_dim, score=score, **sizes, **options)
        self.config |= {"half_width": half_width, "alignment": alignment}
        self.position = self.position_score_weight = None
        if alignment == "predictive":
            width = hidden_dim or query_dim
            self.position = make_linear(query_dim, width, False, **options)
            self.position_score_weight = vector(width, **options)

    def reset_parameters(self) -> None:
        super().reset_parameters()
        reset(self.position, self.position_score_weight)

    def forward(
        self,
        query: Tensor,
        memory: Tensor,
        mask: Mask = None,
        *,
        first_position: int = 0,
    ) -> Pair:
        """Attend from every query to a window; the first stands at first_position.

        Shapes:
            as in ``LuongAttention``; first_position matters to monotonic alignment.

        Raises:
            ValueError: a shape, dtype or mask is not as there.
        """
        mask = self.check(query, memory, mask)
        return self.attend(query, memory, self.prepare(memory), mask, first_position)

    def attend(self, query, memory, keys, mask, first_position=0):
        """``attention`` of checked arguments, through a window."""
        mask = as_rows(mask)
        center = self.center(query, memory, mask, first_position)
        gaussian = self.config["alignment"] == "predictive"
        options = {"half_width": self.config["half_width"], "gaussian": gaussian}
        window = by_rank(local_window(center, memory.shape[1], **options), mask)
        return super().attend(query, memory, keys, mask, window=window)

    def center(self, query, memory, mask, first_position):
        """Where each window stands: (B, T), in float32 or more."""
        dtype = wide(query.dtype)
        if self.config["alignment"] == "monotonic":
            steps = torch.arange(query.shape[1], device=query.device) + first_position
            return steps.to(dtype).expand(query.shape[:2])
        hidden = torch.tanh(self.position(query)).to(dtype)
        share = torch.sigmoid(hidden @ self.position_score_weight.to(dtype))
        length = memory.shape[1] if mask is None else mask.sum(dim=-1)
        return length * share


class LuongDecoder(RecurrentDecoder):
    """Attends to the memory after every step: ``reference.luong_decoder``.

    The state is (B, H) before the first step and a ``LuongState`` after it.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        memory_dim: int,
        attention: torch.nn.Module,
        input_feeding: bool = True,
        **options: Any,
    ) -> None:
        sizes = vocab_size, embedding_dim, hidden_dim, memory_dim
        widths = hidden_dim if input_feeding else 0, memory_dim
        gru = partial(torch.nn.GRU, batch_first=True)
        super().__init__(sizes, gru, *widths, **options)
        self.config["input_feeding"] = input_feeding
        self.attention = attention
        width = memory_dim + hidden_dim
        self.combine = torch.nn.Linear(width, hidden_dim, bias=False, **options)
        self.output_layer = torch.nn.Linear(hidden_dim, vocab_size, **options)

    def prepare(self, memory, mask=None):
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def run(self, embedded, state, *given):
        """Without input feeding no step waits for another: one run of the GRU."""
        if self.config["input_feeding"]:
            return super().run(embedded, state, *given)
        hidden, _ = self.cell(embedded, state[None].contiguous())
        return self.attend(hidden, *given)

    def begin(self, state):
        """Before the first step nothing was attended to: zeros."""
        if isinstance(state, LuongState):
            return state
        return LuongState(state, torch.zeros_like(state), 0)

    def advance(self, embedded, state, *given):
        """One step: the new state, what the readout sees, and the weights."""
        state = self.begin(state)
        if self.config["input_feeding"]:
            embedded = torch.cat([embedded, state.attentional], dim=-1)
        hidden, _ = self.cell(embedded[:, None], state.hidden[None].contiguous())
        attentional, weights = self.attend(hidden, *given, state.step)
        state = LuongState(hidden[:, 0], attentional[:, 0], state.step + 1)
        return state, state.attentional, weights[:, 0]

    def attend(self, hidden, *given):
        """Attend from the state after the step: attentional (B, T, H), weights."""
        context, weights = self.attention.attend(hidden, *given)
        seen = torch.cat([context, hidden], dim=-1)
        return torch.tanh(self.combine(seen)), weights

    def read_out(self, seen):
        """The logits, of the attentional state."""
        return self.output_layer(seen)
