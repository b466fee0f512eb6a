"""The encoder, and the decoder with one fixed context, in PyTorch.

Formulas: ``reference.py``.
"""

from attn_course.frameworks import torch
from attn_course.recurrent.shared import check_decoder
from attn_course.shapes import check_mask_dtype, check_shapes, check_tokens

__all__ = [
    "EncoderDecoder",
    "FixedContextDecoder",
    "RecurrentEncoder",
]


class RecurrentEncoder(torch.nn.Module):
    """Read a sentence in both directions: ``attn_course.reference.recurrent_encoder``.

    Shapes:
        tokens (B, S), mask (B, S)
        -> memory (B, S, 2 * hidden_dim), last state (B, 2 * hidden_dim).

    Raises:
        ValueError: tokens are not integers of shape (B, S), or the mask does not fit.
    """

    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocab_size, embedding_dim)
        self.forward_gru = torch.nn.GRU(embedding_dim, hidden_dim, batch_first=True)
        self.backward_gru = torch.nn.GRU(embedding_dim, hidden_dim, batch_first=True)

    def forward(self, tokens, mask=None):
        check_tokens("tokens", tokens)
        if mask is None:
            mask = torch.ones_like(tokens, dtype=torch.bool)
        check_mask_dtype(mask)
        check_shapes(tokens=(tokens, "BS"), mask=(mask, "BS"))
        embedded = self.embedding(tokens)
        position = torch.arange(mask.shape[1], device=mask.device)
        left, left_last = self._read(self.forward_gru, embedded, mask, position)
        right, right_last = self._read(self.backward_gru, embedded, mask, -position)
        memory = torch.cat([left, right], dim=-1) * mask[..., None]
        return memory, torch.cat([left_last, right_last], dim=-1)

    def _read(self, gru, embedded, mask, rank):
        """Read the tokens by rising rank, leaving gaps out; return states and last."""
        count = mask.sum(dim=1, keepdim=True)
        order = torch.argsort(torch.where(mask, rank, mask.shape[1]), dim=1)
        states, _ = gru(_take(embedded, order))
        last = _take(states, (count - 1).clamp(min=0))[:, 0] * (count > 0)
        return _take(states, torch.argsort(order, dim=1)), last


class RecurrentDecoder(torch.nn.Module):
    """What the recurrent decoders share; they differ in ``prepare`` and ``look``.

    Shapes:
        start: last_state (B, E) -> state (B, H).
        step: token (B), state (B, H), memory (B, S, E), mask (B, S)
        -> logits (B, N), state (B, H), weights (B, S) or None.
        the call, teacher forcing: targets (B, T), memory, initial_state (B, H), mask
        -> logits (B, T, N), weights (B, T, S) or None.

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """

    def __init__(self, vocab_size, embedding_dim, hidden_dim, *, memory_dim, start_dim):
        super().__init__()
        readout_dim = hidden_dim + embedding_dim + memory_dim
        self.known = {"E": memory_dim, "H": hidden_dim}
        self.embedding = torch.nn.Embedding(vocab_size, embedding_dim)
        self.cell = torch.nn.GRUCell(embedding_dim + memory_dim, hidden_dim)
        self.bridge = torch.nn.Linear(start_dim, hidden_dim)
        self.readout = torch.nn.Linear(readout_dim, 2 * hidden_dim)
        self.output_layer = torch.nn.Linear(hidden_dim, vocab_size)

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return torch.tanh(self.bridge(last_state))

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output. ``prepared``: what ``prepare(memory, mask)`` gave, or None."""
        check_decoder(
            self.known,
            mask,
            token=(token, "B"),
            memory=(memory, "BSE"),
            state=(state, "BH"),
        )
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        embedded = self.embedding(token)
        state, context, weights = self._advance(embedded, state, prepared, mask)
        return self._logits(state, embedded, context), state, weights

    def forward(self, targets, memory, initial_state, mask=None):
        check_decoder(
            self.known,
            mask,
            targets=(targets, "BT"),
            memory=(memory, "BSE"),
            initial_state=(initial_state, "BH"),
        )
        state, embedded = initial_state, self.embedding(targets)
        prepared = self.prepare(memory, mask)
        states, contexts, weights = [], [], []
        for x in embedded.unbind(dim=1):
            state, context, weight = self._advance(x, state, prepared, mask)
            states.append(state)
            contexts.append(context)
            weights.append(weight)
        states, contexts = torch.stack(states, dim=1), torch.stack(contexts, dim=1)
        logits = self._logits(states, embedded, contexts)
        return logits, None if weights[0] is None else torch.stack(weights, dim=1)

    def _advance(self, embedded, state, prepared, mask):
        context, weights = self.look(state, prepared, mask)
        state = self.cell(torch.cat([embedded, context], dim=-1), state)
        return state, context, weights

    def _logits(self, state, embedded, context):
        pairs = self.readout(torch.cat([state, embedded, context], dim=-1))
        return self.output_layer(pairs.unflatten(-1, (-1, 2)).amax(dim=-1))


class FixedContextDecoder(RecurrentDecoder):
    """Sees one fixed vector: ``attn_course.reference.fixed_context_decoder``."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim, *, memory_dim):
        sizes = {"memory_dim": memory_dim, "start_dim": memory_dim}
        super().__init__(vocab_size, embedding_dim, hidden_dim, **sizes)

    def prepare(self, memory, mask=None):
        """The two readers' last states, out of the memory: (B, S, E) -> (B, E)."""
        if mask is None:
            mask = torch.ones(memory.shape[:2], dtype=torch.bool, device=memory.device)
        first = mask.int().argmax(dim=1, keepdim=True)
        last = mask.shape[1] - 1 - mask.int().flip(1).argmax(dim=1, keepdim=True)
        left, right = memory.chunk(2, dim=-1)
        found = torch.cat([_take(left, last)[:, 0], _take(right, first)[:, 0]], dim=-1)
        return torch.where(mask.any(dim=1, keepdim=True), found, 0.0)

    def look(self, previous_state, prepared, mask=None):
        """The same context whatever the state: (B, E), and no weights."""
        return prepared, None


class EncoderDecoder(torch.nn.Module):
    """An encoder and a decoder as one model.

    Shapes:
        source (B, S), target_in (B, T), source_mask (B, S)
        -> logits (B, T, N), weights (B, T, S) or None.
    """

    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, target_in, source_mask=None):
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        return self.decoder(target_in, memory, state, source_mask)

    def greedy(self, source, source_mask=None, *, begin, max_length):
        """Take the likeliest token at every step.

        Shapes:
            returns: tokens (B, max_length), weights (B, max_length, S) or None.
        """
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        prepared = self.decoder.prepare(memory, source_mask)
        token = torch.full_like(source[:, 0], begin, dtype=torch.long)
        tokens, weights = [], []
        for _ in range(max_length):
            logits, state, weight = self.decoder.step(
                token, state, memory, source_mask, prepared=prepared
            )
            token = logits.argmax(dim=-1)
            tokens.append(token)
            weights.append(weight)
        tokens = torch.stack(tokens, dim=1)
        return tokens, None if weights[0] is None else torch.stack(weights, dim=1)


def _take(x, index):
    """x[b, index[b, t]] for every b and t: (B, S, X), (B, T) -> (B, T, X)."""
    return x.gather(1, index[..., None].expand(-1, -1, x.shape[-1]))
