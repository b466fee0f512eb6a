"""The language model in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import AttentionLayer, Tensor
from attn_course.core.masks.tf import Mask
from attn_course.mechanisms.multi_head.tf import MultiHeadAttention
from attn_course.mechanisms.parts.positional.tf import (
    RotaryEncoding,
    SinusoidalEncoding,
)
from attn_course.mechanisms.relative.tf import AlibiBias, RelativeBias
from attn_course.models.encoder.shared import Norm, caches_of
from attn_course.models.encoder.tf import Encoder
from attn_course.models.feed_forward.shared import Activation, Normalization
from attn_course.models.language_model.shared import (
    Positions,
    check_places,
    check_positions,
    is_padding,
    scale_given,
    scale_of,
)
from attn_course.models.transformer.shared import check_tokens, transformer_config
from attn_course.models.transformer.tf import Tokens

__all__ = ["LanguageModel"]


@keras.saving.register_keras_serializable("attn_course")
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
        positions: Positions | keras.layers.Layer | None = "rotary",
        embedding_scale: float | None = None,
        **options: Any,
    ) -> None:
        sizes = model_dim, num_heads, ff_dim
        choices = norm, activation, normalization, dropout, eps
        config = transformer_config(vocab_size, num_layers, sizes, choices)
        config |= scale_given(embedding_scale)
        super().__init__(config, **options)
        self.own_attention = attention is not None
        if positions is None or isinstance(positions, str):
            self.config["positions"] = positions
        options = {"dtype": self.dtype_policy}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        positions = self.layer_of(positions, options)
        rotary = isinstance(positions, RotaryEncoding)
        check_positions(positions, rotary, attention)
        if rotary:
            maps |= {"rotary": positions, "key_dim": positions.config["key_dim"]}
            attention = lambda number: MultiHeadAttention(*sizes[:2], **maps)  # noqa: E731
        is_bias = isinstance(positions, AlibiBias | RelativeBias)
        names = "norm", "activation", "normalization", "dropout", "eps"
        options |= dict(zip(names, choices, strict=True))
        options |= {"attention": attention, "bias": positions if is_bias else None}
        self.stack = Encoder(num_layers, *sizes, **options)
        self.encoding = None if is_bias or rotary else positions
        self.built = True

    def layer_of(self, positions: Any, place: dict[str, Any]) -> Any:
        """The layer that a name of positions stands for; anything else as it is."""
        D, H = self.config["model_dim"], self.config["num_heads"]
        make = {
            "sinusoidal": lambda: SinusoidalEncoding(D, **place),
            "rotary": lambda: RotaryEncoding(D // H, **place),
            "alibi": lambda: AlibiBias(H, **place),
        }
        return make[positions]() if positions in list(make) else positions

    def call(
        self,
        tokens: Tensor,
        mask: Mask = None,
        *,
        positions: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
        training: bool | None = None,
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
        first = 0 if cache is None else tf.identity(caches[0].length)
        x = self.embedding(tokens) * scale_of(self.config)
        x = self.dropout(self.encode(x, first, positions, mask))
        options = {"need_weights": need_weights, "cache": cache}
        x, weights = self.stack(x, mask, causal=True, **options)
        return self.logits(x), weights

    def encode(
        self, x: Tensor, first: Any, positions: Tensor | None, mask: Mask
    ) -> Tensor:
        """x and, where positions are added, those: as given, or counted."""
        if positions is not None:
            check_places(positions, x[..., 0])
        if self.encoding is None:
            return x
        reach = first + tf.shape(x)[1]
        if positions is None and is_padding(mask, x):
            seen = tf.cast(mask[:, 0, 0], "bool")  # of documents, their numbers
            words = tf.cumsum(tf.cast(seen, "int32"), axis=-1) - 1
            words = tf.clip_by_value(words, 0, reach - 1)
            positions = words[:, -tf.shape(x)[1] :]
        if positions is None:
            return self.encoding(x, first_position=first)
        table = self.encoding(tf.zeros((1, reach, x.shape[2]), x.dtype))[0]
        return x + tf.gather(table, positions)

    def new_cache(self, batch: int, capacity: int, **options: Any) -> tuple:
        """What the layers keep while the model reads and writes ``capacity`` tokens.

        options: those of ``KVCache``, as ``window``, or one ``pool`` for all layers.
        """
        return self.stack.new_cache(batch, capacity, **options)

    def compute_mask(self, tokens: Any, previous_mask: Any = None) -> Any:
        return None

    def compute_output_shape(
        self, tokens_shape: tuple, *others: Any, **named: Any
    ) -> tuple:
        x = (*tokens_shape, self.config["model_dim"])
        logits = (*tokens_shape, self.config["vocab_size"])
        return logits, self.stack.compute_output_shape(x)[1]

    def get_config(self) -> dict[str, Any]:
        save, layers = keras.saving.serialize_keras_object, self.stack.layers
        rotary = getattr(layers[0].attention, "rotary", None)
        given = {"positions": save(self.encoding or self.stack.bias or rotary)}
        if self.own_attention:
            given["attention"] = [save(layer.attention) for layer in layers]
        return {**given, **super().get_config()}

    @classmethod
    def of_config(cls, config: dict[str, Any]) -> "LanguageModel":
        load = keras.saving.deserialize_keras_object
        own = config.get("attention")  # a file from before has neither
        given = {"attention": own and [load(x) for x in own].__getitem__}
        given["positions"] = load(config.get("positions", "sinusoidal"))
        return cls(**config | given)
