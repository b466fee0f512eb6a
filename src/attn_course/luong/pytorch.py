"""Luong's global and local attention in PyTorch. Formulas: ``reference.py``."""

from attn_course.dot_product.pytorch import hide_unseen, masked_softmax
from attn_course.frameworks import torch
from attn_course.luong.shared import (
    ALIGNMENTS,
    LuongState,
    check_attention,
    check_half_width,
    check_score,
    check_score_inputs,
)
from attn_course.recurrent.shared import check_decoder
from attn_course.shapes import check_choice

__all__ = [
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "local_window",
    "luong_score",
]


def luong_score(query, memory, parameters, *, score, keys=None):
    """See ``attn_course.reference.luong_score``."""
    check_score_inputs(query, memory, parameters, score)
    if score == "general":
        query = query @ parameters["weight"]
    if score == "location":
        return (query @ parameters["location_weight"])[:, :, : memory.shape[1]]
    if score == "concat":
        keys = memory @ parameters["memory_weight"] if keys is None else keys
        queries = query @ parameters["query_weight"]
        hidden = torch.tanh(queries[:, :, None] + keys[:, None])
        return hidden @ parameters["score_weight"]
    return torch.einsum("btd,bsd->bts", query, memory)


def local_window(center, size, *, half_width, gaussian):
    """See ``attn_course.reference.local_window``.

    In float32 or more: bfloat16 holds no odd position beyond 256.
    """
    check_half_width(half_width)
    center = center.to(torch.promote_types(center.dtype, torch.float32))
    positions = torch.arange(size, dtype=center.dtype, device=center.device)
    distance = positions - center[..., None]
    inside = distance.abs() <= half_width
    sigma = half_width / 2
    height = torch.exp(-(distance**2) / (2 * sigma**2)) if gaussian else 1.0
    return torch.where(inside, height, torch.zeros_like(distance))


class LuongAttention(torch.nn.Module):
    """Global attention: ``attn_course.reference.luong_attention``.

    Shapes:
        query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
        -> context (B, T, memory_dim), weights (B, T, S).

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.
    """

    def __init__(
        self, query_dim, memory_dim, *, score="dot", hidden_dim=None, max_length=None
    ):
        super().__init__()
        check_score(score, hidden_dim=hidden_dim, max_length=max_length)
        self.score = score
        sizes = {"D": query_dim, "E": memory_dim, "A": hidden_dim, "L": max_length}
        self.names = _add_weights(self, score, sizes)

    def prepare(self, memory, mask=None):
        """What a decoder computes once a sentence: the memory and its keys."""
        rows = _rows(mask)
        memory = memory if rows is None else hide_unseen(memory, rows)
        keys = memory @ self.memory_weight if self.score == "concat" else None
        return memory, keys

    def forward(self, query, memory, mask=None, *, prepared=None):
        parameters = {name: getattr(self, name) for name in self.names}
        check_attention(query, memory, parameters, self.score, mask)
        memory, keys = prepared or self.prepare(memory, mask)
        rows = _rows(mask)
        score = luong_score(query, memory, parameters, score=self.score, keys=keys)
        weights = masked_softmax(score, rows)
        return weights @ memory, weights


class LocalAttention(LuongAttention):
    """Local attention: ``attn_course.reference.local_attention``.

    Shapes:
        as in ``LuongAttention``. first_position: where the first query stands, for
        monotonic alignment.

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.
    """

    def __init__(
        self,
        query_dim,
        memory_dim,
        *,
        half_width,
        score="general",
        alignment="predictive",
        hidden_dim=None,
        max_length=None,
    ):
        options = {"hidden_dim": hidden_dim, "max_length": max_length}
        super().__init__(query_dim, memory_dim, score=score, **options)
        check_choice("alignment", alignment, ALIGNMENTS)
        check_half_width(half_width)
        self.alignment, self.half_width = alignment, half_width
        if alignment == "predictive":
            sizes = {"D": query_dim, "A": hidden_dim or query_dim}
            _add_weights(self, "predictive", sizes)

    def forward(self, query, memory, mask=None, *, prepared=None, first_position=0):
        parameters = {name: getattr(self, name) for name in self.names}
        check_attention(query, memory, parameters, self.score, mask)
        memory, keys = prepared or self.prepare(memory, mask)
        rows = _rows(mask)
        center = self._center(query, memory, rows, first_position)
        gaussian = self.alignment == "predictive"
        size = {"half_width": self.half_width, "gaussian": gaussian}
        window = local_window(center, memory.shape[1], **size)
        inside = window > 0 if rows is None else (window > 0) & rows
        score = luong_score(query, memory, parameters, score=self.score, keys=keys)
        weights = masked_softmax(score, inside) * window.to(score.dtype)
        return weights @ memory, weights

    def _center(self, query, memory, rows, first_position):
        wide = torch.promote_types(query.dtype, torch.float32)
        if self.alignment == "monotonic":
            steps = torch.arange(query.shape[1], device=query.device) + first_position
            return steps.to(wide).expand(query.shape[:2])
        hidden = torch.tanh(query @ self.position_weight)
        share = torch.sigmoid((hidden @ self.position_score_weight).to(wide))
        length = memory.shape[1] if rows is None else rows.sum(dim=-1)
        return length * share


def _rows(mask):
    return mask[:, None] if mask is not None and len(mask.shape) == 2 else mask


# What each score, and the predicted position, learns: a name and a shape in letters.
_WEIGHTS = {
    "dot": {},
    "general": {"weight": "DE"},
    "concat": {"query_weight": "DA", "memory_weight": "EA", "score_weight": "A"},
    "location": {"location_weight": "DL"},
    "predictive": {"position_weight": "DA", "position_score_weight": "A"},
}


def _add_weights(module, kind, sizes):
    """Matrices begin as Glorot and Bengio (2010) say, vectors with their root."""
    for name, letters in _WEIGHTS[kind].items():
        weight = torch.nn.Parameter(torch.empty([sizes[letter] for letter in letters]))
        if weight.ndim == 2:
            torch.nn.init.xavier_uniform_(weight)
        else:
            torch.nn.init.normal_(weight, std=len(weight) ** -0.5)
        setattr(module, name, weight)
    return tuple(_WEIGHTS[kind])


class LuongDecoder(torch.nn.Module):
    """Looks at the sentence after every step: ``attn_course.reference.luong_decoder``.

    Shapes:
        start: last_state (B, E) -> state (B, H).
        step: token (B), state, memory (B, S, E), mask (B, S)
        -> logits (B, N), state, weights (B, S). The state is (B, H) before the first
        step and a ``LuongState`` after it.
        the call, teacher forcing: targets (B, T), memory, initial_state (B, H), mask
        -> logits (B, T, N), weights (B, T, S).

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """

    def __init__(
        self,
        vocab_size,
        embedding_dim,
        hidden_dim,
        *,
        memory_dim,
        attention,
        input_feeding=True,
    ):
        super().__init__()
        self.known = {"E": memory_dim, "H": hidden_dim}
        self.input_feeding = input_feeding
        input_dim = embedding_dim + (hidden_dim if input_feeding else 0)
        self.embedding = torch.nn.Embedding(vocab_size, embedding_dim)
        self.cell = torch.nn.GRU(input_dim, hidden_dim, batch_first=True)
        self.bridge = torch.nn.Linear(memory_dim, hidden_dim)
        self.attention = attention
        self.combine = torch.nn.Linear(memory_dim + hidden_dim, hidden_dim, bias=False)
        self.output_layer = torch.nn.Linear(hidden_dim, vocab_size)

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return torch.tanh(self.bridge(last_state))

    def prepare(self, memory, mask=None):
        """What does not depend on the state, once a sentence."""
        return self.attention.prepare(memory, mask)

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output. ``prepared``: what ``prepare(memory, mask)`` gave, or None."""
        if not isinstance(state, LuongState):
            state = LuongState(state, torch.zeros_like(state), 0)
        check_decoder(
            self.known,
            mask,
            token=(token, "B"),
            memory=(memory, "BSE"),
            state=(state.hidden, "BH"),
        )
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        state, weights = self._advance(self.embedding(token), state, prepared, mask)
        return self.output_layer(state.attentional), state, weights

    def forward(self, targets, memory, initial_state, mask=None):
        check_decoder(
            self.known,
            mask,
            targets=(targets, "BT"),
            memory=(memory, "BSE"),
            initial_state=(initial_state, "BH"),
        )
        embedded, prepared = self.embedding(targets), self.prepare(memory, mask)
        if not self.input_feeding:  # no step waits for another's attention
            hidden, _ = self.cell(embedded, initial_state[None].contiguous())
            attentional, weights = self._look(hidden, prepared, mask, 0)
            return self.output_layer(attentional), weights
        state = LuongState(initial_state, torch.zeros_like(initial_state), 0)
        attentional, weights = [], []
        for x in embedded.unbind(dim=1):
            state, weight = self._advance(x, state, prepared, mask)
            attentional.append(state.attentional)
            weights.append(weight)
        logits = self.output_layer(torch.stack(attentional, dim=1))
        return logits, torch.stack(weights, dim=1)

    def _advance(self, embedded, state, prepared, mask):
        fed = [embedded, state.attentional] if self.input_feeding else [embedded]
        x = torch.cat(fed, dim=-1)[:, None]
        hidden, _ = self.cell(x, state.hidden[None].contiguous())
        attentional, weights = self._look(hidden, prepared, mask, state.step)
        state = LuongState(hidden[:, 0], attentional[:, 0], state.step + 1)
        return state, weights[:, 0]

    def _look(self, hidden, prepared, mask, step):
        """Attend from the state after the step: attentional (B, T, H), weights."""
        options = {"prepared": prepared}
        if isinstance(self.attention, LocalAttention):
            options["first_position"] = step
        context, weights = self.attention(hidden, prepared[0], mask, **options)
        seen = torch.cat([context, hidden], dim=-1)
        return torch.tanh(self.combine(seen)), weights
