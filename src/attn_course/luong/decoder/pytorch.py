"""Luong's decoder in PyTorch. Formulas: ``reference.py``."""

from attn_course.bahdanau.encoder_decoder.checks import check_decoder
from attn_course.frameworks import torch
from attn_course.luong.attention.pytorch import LocalAttention
from attn_course.luong.decoder.state import LuongState


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
