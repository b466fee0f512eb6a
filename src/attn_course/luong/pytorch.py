"""Luong's global and local attention, and their decoder, in PyTorch.

Formulas: ``reference.py``.
"""

from functools import partial
from typing import Any

from attn_course.bahdanau.pytorch import (
    MemoryAttention,
    additive_score,
    in_wide,
    reset,
    vector,
)
from attn_course.dot_product.pytorch import softmax, wide
from attn_course.frameworks import torch
from attn_course.layers.pytorch import Mask, linear
from attn_course.luong.shared import (
    OF_QUERY,
    LuongState,
    attention_config,
    check_local,
    check_longest,
    check_score_inputs,
    query_width,
)
from attn_course.recurrent.pytorch import RecurrentDecoder
from attn_course.recurrent.shared import decoder_sizes
from attn_course.shapes import check_positive

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
    query: torch.Tensor,
    memory: torch.Tensor,
    parameters: dict[str, torch.Tensor],
    *,
    score: str,
    keys: torch.Tensor | None = None,
) -> torch.Tensor:
    """``pair_scores`` of checked arguments: ``attn_course.reference.luong_score``."""
    check_score_inputs(query, memory, parameters, score)
    queries = query if score == "dot" else query @ parameters[OF_QUERY[score]]
    if keys is None:
        keys = memory @ parameters["memory_weight"] if score == "concat" else memory
    inputs = queries, keys, parameters.get("score_weight")
    return in_wide(pair_scores, *inputs, score=score)


def local_window(
    center: torch.Tensor, size: int, *, half_width: float, gaussian: bool
) -> torch.Tensor:
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


class LuongAttention(MemoryAttention):
    """Global attention: ``attn_course.reference.luong_attention``.

    Raises:
        ValueError: a size or the score is not as
        ``attn_course.luong.shared.attention_config`` says.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        *,
        score: str = "dot",
        hidden_dim: int | None = None,
        max_length: int | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        sizes = query_dim, memory_dim, score, hidden_dim, max_length
        self.config = attention_config(*sizes)
        options = {"device": device, "dtype": dtype}
        self.query = self.memory = self.score_weight = None
        if score != "dot":
            width = query_width(self.config)
            self.query = linear(query_dim, width, use_bias=False, **options)
            self.parity_leads = {"query": OF_QUERY[score].removesuffix("weight")}
        if score == "concat":
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
        return self.attend(queries, keys, memory, mask)

    def attend(self, queries, keys, memory, mask, window=None):
        """``attention`` with this layer's score."""
        check_longest(memory, self.config["max_length"])
        options = {"mask": mask, "window": window, "score": self.config["score"]}
        return in_wide(attention, queries, keys, memory, self.score_weight, **options)


class LocalAttention(LuongAttention):
    """Local attention: ``attn_course.reference.local_attention``.

    options are those of ``LuongAttention``.

    Raises:
        ValueError: a size or an option is not as there, half_width is not positive, or
        the alignment is unknown.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        *,
        half_width: float,
        score: str = "general",
        alignment: str = "predictive",
        hidden_dim: int | None = None,
        max_length: int | None = None,
        **options: Any,
    ) -> None:
        sizes = {"hidden_dim": hidden_dim, "max_length": max_length}
        super().__init__(query_dim, memory_dim, score=score, **sizes, **options)
        check_local(half_width, alignment)
        self.config |= {"half_width": half_width, "alignment": alignment}
        self.position = self.position_score_weight = None
        if alignment == "predictive":
            width = hidden_dim or query_dim
            self.position = linear(query_dim, width, use_bias=False, **options)
            self.position_score_weight = vector(width, **options)

    def reset_parameters(self) -> None:
        super().reset_parameters()
        reset(self.position, self.position_score_weight)

    def forward(
        self,
        query: torch.Tensor,
        memory: torch.Tensor,
        mask: Mask = None,
        *,
        keys: torch.Tensor | None = None,
        first_position: int = 0,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Attend from every query to a window; the first stands at first_position.

        Shapes:
            as in ``LuongAttention``; first_position matters to monotonic alignment.

        Raises:
            ValueError: a shape, dtype or mask is not as there.
        """
        queries, keys, mask = self.project(query, memory, mask, keys)
        center = self.center(query, memory, mask, first_position)
        gaussian = self.config["alignment"] == "predictive"
        options = {"half_width": self.config["half_width"], "gaussian": gaussian}
        window = local_window(center, memory.shape[1], **options)
        inside = window > 0 if mask is None else (window > 0) & mask
        return self.attend(queries, keys, memory, inside, window)

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
        sizes = vocab_size, embedding_dim, hidden_dim
        config = decoder_sizes(*sizes, memory_dim=memory_dim)
        config["input_feeding"] = bool(input_feeding)
        fed = embedding_dim + (hidden_dim if input_feeding else 0)
        widths = {"input_dim": fed, "start_dim": memory_dim}
        gru = partial(torch.nn.GRU, batch_first=True)
        super().__init__(config, cell=gru, **widths, **options)
        self.attention = attention
        width = memory_dim + hidden_dim
        self.combine = torch.nn.Linear(width, hidden_dim, bias=False, **options)
        self.output_layer = torch.nn.Linear(hidden_dim, vocab_size, **options)

    def prepare(self, memory: torch.Tensor, mask: Mask = None) -> Any:
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def forward(
        self,
        targets: torch.Tensor,
        memory: torch.Tensor,
        initial_state: torch.Tensor,
        mask: Mask = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As in ``RecurrentDecoder``; in one run of the GRU without input feeding."""
        if self.config["input_feeding"]:
            return super().forward(targets, memory, initial_state, mask)
        given = {"memory": memory, "initial_state": initial_state}
        self.check(mask, targets=targets, **given)
        start = initial_state[None].contiguous()
        hidden, _ = self.cell(self.embedding(targets), start)
        attentional, weights = self.attend(hidden, memory, self.prepare(memory), mask)
        return self.read_out(attentional), weights

    def advance(self, embedded, state, memory, prepared, mask):
        """One step: the new state, what the readout sees, and the weights."""
        if not isinstance(state, LuongState):
            state = LuongState(state, torch.zeros_like(state), 0)
        if self.config["input_feeding"]:
            embedded = torch.cat([embedded, state.attentional], dim=-1)
        hidden, _ = self.cell(embedded[:, None], state.hidden[None].contiguous())
        given = memory, prepared, mask, state.step
        attentional, weights = self.attend(hidden, *given)
        state = LuongState(hidden[:, 0], attentional[:, 0], state.step + 1)
        return state, state.attentional, weights[:, 0]

    def attend(self, hidden, memory, prepared, mask, step=0):
        """Attend from the state after the step: attentional (B, T, H), weights."""
        options = {"keys": prepared}
        if isinstance(self.attention, LocalAttention):
            options["first_position"] = step
        context, weights = self.attention(hidden, memory, mask, **options)
        seen = torch.cat([context, hidden], dim=-1)
        return torch.tanh(self.combine(seen)), weights

    def read_out(self, seen):
        """The logits, of the attentional state."""
        return self.output_layer(seen)
