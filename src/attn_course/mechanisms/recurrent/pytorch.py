"""The encoder, and the decoder with one fixed context, in PyTorch.

Formulas: ``reference.py``.
"""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import (
    Pair,
    PairOrNone,
    Parts,
    Tensor,
    is_mixed,
    stacked,
)
from attn_course.core.layer.shared import check_pad
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.recurrent.shared import (
    DECODER_SIZES,
    check_decoder,
    check_halves,
    check_source,
    whole_sizes,
)

__all__ = ["EncoderDecoder", "FixedContextDecoder", "RecurrentEncoder"]


class RecurrentEncoder(Parts):
    """Read a sentence in both directions: ``attn_course.reference.recurrent_encoder``.

    On CUDA, cuDNN multiplies float32 in TF32 (10 bits of mantissa) by default; to turn
    that off: ``torch.backends.cudnn.allow_tf32 = False``.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        sizes = {"vocab_size": vocab_size, "embedding_dim": embedding_dim}
        self.config = whole_sizes(**sizes, hidden_dim=hidden_dim)
        gru = {"batch_first": True, **options}
        self.embedding = torch.nn.Embedding(vocab_size, embedding_dim, **options)
        self.forward_gru = torch.nn.GRU(embedding_dim, hidden_dim, **gru)
        self.backward_gru = torch.nn.GRU(embedding_dim, hidden_dim, **gru)

    def forward(self, tokens: Tensor, mask: Mask = None) -> Pair:
        """Read the tokens; a position where the mask is False is skipped.

        Shapes:
            tokens (B, S), mask (B, S)
            -> memory (B, S, 2 * hidden_dim), last state (B, 2 * hidden_dim).

        Raises:
            ValueError: tokens are not integers (B, S), or the mask does not fit.
        """
        check_source(tokens, mask)
        mask = to_mask(mask, tokens)
        if mask is None:
            mask = torch.ones_like(tokens, dtype=torch.bool)
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


class RecurrentDecoder(Parts):
    """What recurrent decoders share; they differ in ``prepare`` and ``advance``.

    fed: how many numbers the cell is given beside the embedding.
    """

    def __init__(self, sizes, cell, fed, start_dim, *, device=None, dtype=None):
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.config = whole_sizes(**dict(zip(DECODER_SIZES, sizes, strict=True)))
        N, M, H, _ = sizes
        self.embedding = torch.nn.Embedding(N, M, **options)
        self.cell = cell(M + fed, H, **options)
        self.bridge = torch.nn.Linear(start_dim, H, **options)

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return torch.tanh(self.bridge(last_state))

    def begin(self, state):
        """A first state in the form that every step gives."""
        return state

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output; prepared is what ``prepare(memory, mask)`` gave, or None.

        Shapes:
            token (B), state (B, H) or what the step before gave, memory (B, S, E),
            mask (B, S) -> logits (B, N), state, weights (B, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        hidden = getattr(state, "hidden", state)
        mask = self.check(mask, token=token, memory=memory, state=hidden)
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        given = memory, prepared, mask
        state, seen, weights = self.advance(self.embedding(token), state, *given)
        return self.read_out(seen), state, weights

    def forward(
        self, targets: Tensor, memory: Tensor, initial_state: Tensor, mask: Mask = None
    ) -> PairOrNone:
        """Teacher forcing: the output after each of the targets.

        Shapes:
            targets (B, T), memory (B, S, E), initial_state (B, H), mask (B, S)
            -> logits (B, T, N), weights (B, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        state = {"initial_state": initial_state}
        mask = self.check(mask, targets=targets, memory=memory, **state)
        given = memory, self.prepare(memory, mask), mask
        seen, weights = self.run(self.embedding(targets), initial_state, *given)
        return self.read_out(seen), weights

    def run(self, embedded, state, *given):
        """All steps: what the readout sees (B, T, ...), and the weights or None."""
        steps = []
        for x in embedded.unbind(dim=1):
            state, *step = self.advance(x, state, *given)
            steps.append(step)
        return stacked(steps)

    def check(self, mask, **arguments):
        """Raise ValueError unless all fit the decoder, tokens first; the mask."""
        mixed = is_mixed(self.bridge, arguments["memory"])
        check_decoder(self.config, mask, mixed=mixed, **arguments)
        return to_mask(mask, arguments["memory"])


class ContextDecoder(RecurrentDecoder):
    """A decoder that has its context before it steps; they differ in ``attend``.

    options: device and dtype.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    start_share = 1  # the first state is made from this part of the encoder's last

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        memory_dim: int,
        **options: Any,
    ) -> None:
        check_halves(memory_dim)
        N, M, H, E = sizes = vocab_size, embedding_dim, hidden_dim, memory_dim
        widths = E, E // self.start_share
        super().__init__(sizes, torch.nn.GRUCell, *widths, **options)
        self.readout = torch.nn.Linear(H + M + E, 2 * H, **options)
        self.output_layer = torch.nn.Linear(H, N, **options)

    def advance(self, embedded, state, *given):
        """One step: the new state, what the readout sees, and the weights or None."""
        context, weights = self.attend(state, *given)
        state = self.cell(torch.cat([embedded, context], dim=-1), state)
        return state, torch.cat([state, embedded, context], dim=-1), weights

    def read_out(self, seen):
        """The logits: a layer that takes the larger of each two neighbors, a map."""
        pairs = self.readout(seen).unflatten(-1, (-1, 2))
        return self.output_layer(pairs.amax(dim=-1))


class FixedContextDecoder(ContextDecoder):
    """Sees one fixed vector: ``attn_course.reference.fixed_context_decoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    def prepare(self, memory, mask=None):
        """The encoder's last states, out of the memory: (B, S, E) -> (B, E)."""
        if mask is None:
            mask = torch.ones(memory.shape[:2], dtype=torch.bool, device=memory.device)
        first = mask.int().argmax(dim=1, keepdim=True)
        last = mask.shape[1] - 1 - mask.int().flip(1).argmax(dim=1, keepdim=True)
        left, right = memory.chunk(2, dim=-1)
        found = torch.cat([_take(left, last)[:, 0], _take(right, first)[:, 0]], dim=-1)
        return torch.where(mask.any(dim=1, keepdim=True), found, 0.0)

    def attend(self, state, memory, prepared, mask):
        """The same context whatever the state: (B, E), and no weights."""
        return prepared, None


class EncoderDecoder(Parts):
    """An encoder and a decoder as one model.

    pad: the token of the source that is padding: nobody looks at it. None: there is
        none, and what is padding stands in ``source_mask``.

    Raises:
        ValueError: pad is no token.
    """

    def __init__(
        self,
        encoder: torch.nn.Module,
        decoder: torch.nn.Module,
        *,
        pad: int | None = 0,
    ) -> None:
        super().__init__()
        known = getattr(encoder, "config", {})
        self.config = check_pad(pad, known.get("vocab_size"))
        self.encoder = encoder
        self.decoder = decoder

    def forward(
        self, source: Tensor, target_in: Tensor, source_mask: Mask = None
    ) -> PairOrNone:
        """Teacher forcing: the output after each token of target_in.

        Shapes:
            source (B, S), target_in (B, T), source_mask (B, S)
            -> logits (B, T, N), weights (B, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        source_mask = self.readable(source, source_mask)
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        return self.decoder(target_in, memory, state, source_mask)

    def readable(self, source: Tensor, source_mask: Mask = None) -> Tensor | None:
        """What of a source may be read, (B, S): what the mask allows but padding."""
        check_source(source, source_mask)
        mask = to_mask(source_mask, source)
        if self.config["pad"] is None:
            return mask
        words = source != self.config["pad"]
        return words if mask is None else words & mask

    def encode(
        self, source: Tensor, source_mask: Mask = None, *, need_weights: bool = True
    ) -> tuple[tuple, None]:
        """Read the source, once: what ``decode`` reads, and no weights.

        That is the memory (B, S, E), what is prepared of it, and the first state.
        """
        mask = self.readable(source, source_mask)
        memory, last_state = self.encoder(source, mask)
        prepared = self.decoder.prepare(memory, mask)
        return (memory, prepared, self.decoder.start(last_state)), None

    def decode(
        self,
        target: Tensor,
        memory: tuple,
        source_mask: Mask = None,
        *,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> PairOrNone:
        """The output behind every token of the target, as ``forward`` has it.

        With a cache of ``new_cache`` the target is what is new since the last call.
        source_mask: of ``readable``.
        """
        memory, prepared, state = memory
        if cache is None:
            return self.decoder(target, memory, state, source_mask)
        ((own, _),), steps = cache, []
        for token in target.unbind(dim=1):
            inputs = token, own.state, memory, source_mask
            logits, own.state, weights = self.decoder.step(*inputs, prepared=prepared)
            steps.append((logits, weights))
        return stacked(steps)

    def new_cache(self, memory: tuple, capacity: int | None) -> tuple:
        """The state while it writes, however many tokens; it keeps nothing else."""
        return ((RecurrentCache(self.decoder.begin(memory[-1])), None),)

    def greedy(
        self, source: Tensor, source_mask: Mask = None, *, begin: int, max_length: int
    ) -> PairOrNone:
        """Take the likeliest token at every step.

        Shapes:
            returns: tokens (B, max_length), weights (B, max_length, S) or None.
        """
        check_at_least(1, max_length=max_length)
        mask = self.readable(source, source_mask)
        (memory, prepared, state), _ = self.encode(source, mask)
        token = torch.full_like(source[:, 0], begin, dtype=torch.long)
        steps = []
        for _ in range(max_length):
            inputs = token, state, memory, mask
            logits, state, weights = self.decoder.step(*inputs, prepared=prepared)
            token = logits.argmax(dim=-1)
            steps.append((token, weights))
        return stacked(steps)


class RecurrentCache:
    """The state of a recurrent decoder while it writes, for each row of a batch."""

    def __init__(self, state: Any) -> None:
        self.state = state  # (B, H), or a tuple of such and of numbers for all rows

    def take(self, rows: Tensor) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        if isinstance(self.state, tuple):
            parts = (x if isinstance(x, int) else x[rows] for x in self.state)
            self.state = type(self.state)(*parts)
        else:
            self.state = self.state[rows]


def _take(x, index):
    """x[b, index[b, t]] for every b and t: (B, S, X), (B, T) -> (B, T, X)."""
    return x.gather(1, index[..., None].expand(-1, -1, x.shape[-1]))
