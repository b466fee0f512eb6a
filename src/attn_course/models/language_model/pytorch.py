"""The language model in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, Tensor
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.mechanisms.multi_head.pytorch import MultiHeadAttention
from attn_course.mechanisms.parts.positional.pytorch import (
    RotaryEncoding,
    SinusoidalEncoding,
)
from attn_course.mechanisms.relative.pytorch import AlibiBias, RelativeBias
from attn_course.models.encoder.pytorch import Encoder
from attn_course.models.encoder.shared import Norm, caches_of
from attn_course.models.feed_forward.shared import Activation, Normalization
from attn_course.models.language_model.shared import (
    Positions,
    check_places,
    check_positions,
    is_padding,
    scale_given,
    scale_of,
)
from attn_course.models.transformer.pytorch import Tokens
from attn_course.models.transformer.shared import check_tokens, transformer_config

__all__ = ["LanguageModel"]


class LanguageModel(Tokens):
    """Causal layers and a table, no encoder: ``reference.language_model``.

    attention: a function of a layer's number that makes its attention, or None.
    positions: "rotary", "alibi", "sinusoidal", None, or a layer: an encoding, such as
        ``LearnedEncoding(max_length, model_dim)``, or a bias.
    embedding_scale: what multiplies a token's vector; None is sqrt(model_dim), as in
        the Transformer. GPT-2's and Llama's is 1.

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
        norm: Norm = "pre",
        activation: Activation = "gelu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        attention: Callable[[int], AttentionLayer] | None = None,
        positions: Positions | torch.nn.Module | None = "rotary",
        embedding_scale: float | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        sizes = model_dim, num_heads, ff_dim
        choices = norm, activation, normalization, dropout, eps
        config = transformer_config(vocab_size, num_layers, sizes, choices)
        config |= scale_given(embedding_scale)
        options = {"device": device, "dtype": dtype}
        super().__init__(config, **options)
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        positions = self.layer_of(positions, options)
        rotary = isinstance(positions, RotaryEncoding)
        check_positions(positions, rotary, attention)
        if rotary:
            maps |= {"rotary": positions, "key_dim": positions.key_dim}
            attention = lambda number: MultiHeadAttention(*sizes[:2], **maps)  # noqa: E731
        is_bias = isinstance(positions, AlibiBias | RelativeBias)
        names = "norm", "activation", "normalization", "dropout", "eps"
        options |= dict(zip(names, choices, strict=True))
        options |= {"attention": attention, "bias": positions if is_bias else None}
        self.stack = Encoder(num_layers, *sizes, **options)
        self.encoding = None if is_bias or rotary else positions
        self.draw_tables()

    def layer_of(self, positions: Any, place: dict[str, Any]) -> Any:
        """The layer that a name of positions stands for; anything else as it is."""
        D, H = self.config["model_dim"], self.config["num_heads"]
        make = {
            "sinusoidal": lambda: SinusoidalEncoding(D),
            "rotary": lambda: RotaryEncoding(D // H),
            "alibi": lambda: AlibiBias(H, **place),
        }
        return make[positions]() if positions in list(make) else positions

    def forward(
        self,
        tokens: Tensor,
        mask: Mask = None,
        *,
        positions: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple[Tensor, tuple]:
        """For every position, what comes next.

        Shapes:
            tokens (B, T), mask (B, 1, 1, S), positions (B, T); cache: of ``new_cache``,
            the tokens are then what is new since the last call, and S counts all
            -> logits (B, T, N), the weights (B, H, T, S) of every layer.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        check_tokens(tokens=(tokens, "BT"))
        caches = caches_of(cache, len(self.stack.layers))
        first = 0 if cache is None else caches[0].length
        x = self.embedding(tokens) * scale_of(self.config)
        x = self.dropout(self.encode(x, first, positions, mask))
        options = {"need_weights": need_weights, "cache": cache}
        x, weights = self.stack(x, mask, causal=True, **options)
        return self.logits(x), weights

    def encode(
        self, x: Tensor, first: int, positions: Tensor | None, mask: Mask
    ) -> Tensor:
        """x and, where positions are added, those: as given, or counted."""
        if positions is not None:
            check_places(positions, x[..., 0])
        if self.encoding is None:
            return x
        reach = first + x.shape[1]
        if positions is None and is_padding(mask, x):
            words = to_mask(mask, x)[:, 0, 0].bool().cumsum(dim=-1) - 1
            positions = words.clamp(0, reach - 1)[:, -x.shape[1] :]
        if positions is None:
            return self.encoding(x, first_position=first)
        table = self.encoding(x.new_zeros(1, reach, x.shape[2]))[0]
        return x + table[positions]

    def new_cache(self, batch: int, capacity: int, **options: Any) -> tuple:
        """What the layers keep while the model reads and writes ``capacity`` tokens.

        options: those of ``KVCache``, as ``window``, or one ``pool`` for all layers.
        """
        return self.stack.new_cache(batch, capacity, **options)
