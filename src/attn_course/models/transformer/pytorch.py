"""The Transformer in PyTorch, from tokens to logits. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import Parts, Tensor, is_plain
from attn_course.core.layer.shared import check_pad
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.mechanisms.parts.positional.pytorch import sinusoids
from attn_course.models.decoder.pytorch import Decoder
from attn_course.models.encoder.pytorch import Encoder
from attn_course.models.encoder.shared import DecoderNorm
from attn_course.models.feed_forward.shared import Activation, Normalization
from attn_course.models.transformer.shared import (
    check_smoothing,
    check_source_mask,
    check_tokens,
    transformer_config,
    warm_up_rate,
)

__all__ = ["Transformer", "label_smoothing", "warm_up_rate"]


class Tokens(Parts):
    """What whole models share: from tokens to vectors, and from vectors to logits."""

    def __init__(self, config, **options):
        super().__init__()
        self.config = config
        sizes = config["vocab_size"], config["model_dim"]
        self.embedding = torch.nn.Embedding(*sizes, **options)
        self.dropout = torch.nn.Dropout(config["dropout"])

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        super().reset_parameters()
        self.draw_tables()

    def draw_tables(self) -> None:
        """Draw the tables with a variance of 1 / D."""
        for part in self.children():
            if isinstance(part, torch.nn.Embedding):
                torch.nn.init.normal_(part.weight, std=part.embedding_dim**-0.5)

    def embed(self, tokens, table, first_position=0):
        """table[token] * sqrt(D) + sinusoid[position]: (B, T) -> (B, T, D)."""
        x = table(tokens) * table.embedding_dim**0.5
        place = {"dtype": x.dtype, "device": x.device}
        options = {"first_position": first_position, **place}
        waves = sinusoids(x.shape[1], x.shape[2], **options)
        return self.dropout(x + waves)

    def logits(self, x):
        """The scores of all tokens, by the table that embeds them: (B, T, N)."""
        table = self.embedding
        if is_plain(table, torch.nn.Embedding):
            return torch.nn.functional.linear(x, table.weight)
        tokens = torch.arange(self.config["vocab_size"], device=x.device)
        return torch.nn.functional.linear(x, table(tokens).to(x.dtype))


class Transformer(Tokens):
    """Encoder, decoder and their table: ``attn_course.reference.transformer``.

    pad: the token of the source that is padding: nobody looks at it. None: there is
        none, and what is padding stands in ``source_mask``.

    Raises:
        ValueError: a size or choice is wrong.
    """

    def __init__(
        self,
        vocab_size: int,
        num_layers: int,
        model_dim: int,
        num_heads: int,
        ff_dim: int,
        *,
        source_vocab_size: int | None = None,
        pad: int | None = 0,
        norm: DecoderNorm = "post",
        activation: Activation = "relu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        sizes = model_dim, num_heads, ff_dim
        choices = norm, activation, normalization, dropout, eps
        more = {"source_vocab_size": source_vocab_size}
        config = transformer_config(vocab_size, num_layers, sizes, choices, **more)
        config |= check_pad(pad, source_vocab_size or vocab_size)
        options = {"device": device, "dtype": dtype}
        super().__init__(config, **options)
        self.source_embedding = None
        if source_vocab_size is not None:
            table = torch.nn.Embedding(source_vocab_size, model_dim, **options)
            self.source_embedding = table
        names = "norm", "activation", "normalization", "dropout", "eps"
        options |= dict(zip(names, choices, strict=True))
        self.encoder = Encoder(num_layers, *sizes, **options)
        self.decoder = Decoder(num_layers, *sizes, **options)
        self.draw_tables()

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Mask = None,
        *,
        target_mask: Mask = None,
        need_weights: bool = True,
    ) -> tuple[Tensor, tuple[tuple, tuple]]:
        """Teacher forcing: for every position of the target, what comes next.

        Shapes:
            source (B, S), target (B, T), source_mask (B, 1, 1, S), target_mask
            (B, 1, 1, T) -> logits (B, T, N), the weights of encoder and decoder.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        check_tokens(source=(source, "BS"), target=(target, "BT"))
        source_mask = self.readable(source, source_mask)
        memory, seen = self.read(source, source_mask, need_weights)
        options = {"target_mask": target_mask, "need_weights": need_weights}
        logits, weights = self.write(target, memory, source_mask, **options)
        return logits, (seen, weights)

    def encode(
        self, source: Tensor, source_mask: Mask = None, *, need_weights: bool = True
    ) -> tuple[Tensor, tuple]:
        """Read the source, once: memory (B, S, D) and the weights of every layer."""
        check_tokens(source=(source, "BS"))
        return self.read(source, self.readable(source, source_mask), need_weights)

    def readable(self, source: Tensor, source_mask: Mask = None) -> Mask:
        """What of a source may be read: what the mask allows, and is no padding.

        The mask that ``decode``, which sees no source, is given: (B, 1, 1, S).
        """
        if self.config["pad"] is None:
            return source_mask
        words = (source != self.config["pad"])[:, None, None]
        if source_mask is None:
            return words
        if (source_mask.shape, source_mask.dtype) != (words.shape, words.dtype):
            check_source_mask(source_mask, source, self.config["num_heads"])
        return words & to_mask(source_mask, source)

    def read(self, source, source_mask, need_weights):
        """``encode`` of what was checked."""
        shared = self.source_embedding is None
        x = self.embed(source, self.embedding if shared else self.source_embedding)
        return self.encoder(x, source_mask, need_weights=need_weights)

    def decode(
        self,
        target: Tensor,
        memory: Tensor,
        source_mask: Mask = None,
        *,
        target_mask: Mask = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple[Tensor, tuple]:
        """Logits behind every token of the target, and the weights of every layer.

        With a cache of ``new_cache`` the target is what is new since the last call.
        """
        check_tokens(target=(target, "BT"))
        options = {"target_mask": target_mask, "need_weights": need_weights}
        return self.write(target, memory, source_mask, cache=cache, **options)

    def write(self, target, memory, source_mask, *, cache=None, **options):
        """``decode`` of what was checked."""
        first = 0 if cache is None else cache[0][0].length
        x = self.embed(target, self.embedding, first)
        x, weights = self.decoder(x, memory, source_mask, cache=cache, **options)
        return self.logits(x), weights

    def new_cache(self, memory: Tensor, capacity: int) -> tuple:
        """What the decoder keeps while it writes up to ``capacity`` tokens."""
        return self.decoder.new_cache(memory, capacity)


def label_smoothing(
    logits: Tensor, targets: Tensor, *, smoothing: float = 0.1
) -> Tensor:
    """See ``attn_course.reference.label_smoothing``.

    Differs: ``F.cross_entropy(label_smoothing=...)`` takes the classes as second axis.
    """
    check_smoothing(logits, targets, smoothing)
    chance = torch.log_softmax(logits, dim=-1)
    hit = chance.gather(-1, targets.long()[..., None])[..., 0]
    return -(1 - smoothing) * hit - smoothing * chance.mean(dim=-1)
