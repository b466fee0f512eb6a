"""Self-attention in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import Layer, PairLayer, dense, with_padding
from attn_course.core.masks.tf import Mask
from attn_course.core.shapes import check_at_least, check_choice, check_flags
from attn_course.mechanisms.dot_product.tf import (
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.mechanisms.self_attention.shared import (
    FORMATS,
    PARTS,
    Format,
    check_image,
    check_intra,
    check_sequence,
    check_tokens_of,
)

__all__ = [
    "FeatureMapAttention",
    "IntraAttentionLSTM",
    "SelfAttention",
    "image_to_tokens",
    "tokens_to_image",
]

DATA_FORMAT = "channels_last"


@keras.saving.register_keras_serializable("attn_course")
class SelfAttention(PairLayer):
    """One head of self-attention: ``attn_course.reference.self_attention``.

    The padding that Keras carries on x is blocked, together with what the mask blocks.

    Raises:
        ValueError: a size is below 1, or an argument not as ``call`` says.
    """

    parity_joint = "_"  # query.kernel is called query_weight in ``attn_course.parity``

    def __init__(
        self,
        model_dim: int,
        *,
        key_dim: int,
        value_dim: int,
        project: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_at_least(1, model_dim=model_dim, key_dim=key_dim, value_dim=value_dim)
        check_flags(project=project)
        self.config = {"model_dim": model_dim, "key_dim": key_dim}
        self.config |= {"value_dim": value_dim, "project": project}
        self.width = model_dim
        self.query_dense = dense(self, "query", model_dim, key_dim, False)
        self.key_dense = dense(self, "key", model_dim, key_dim, False)
        self.value_dense = dense(self, "value", model_dim, value_dim, False)
        self.output_dense = None
        if project:
            self.output_dense = dense(self, "output", value_dim, model_dim, False)
        self.built = True

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=1), **options)

    def call(
        self,
        x: tf.Tensor,
        mask: Mask = None,
        *,
        causal: bool = False,
        need_weights: bool = True,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """Attend from every position to the positions of the same sequence.

        Shapes:
            x (B, T, model_dim), mask (T, T), (B, 1, T) or (B, T, T)
            -> output (B, T, value_dim), or (B, T, model_dim) if ``project``; weights
            (B, T, T), None for ``need_weights=False``.
        """
        check_sequence(x, self.width)
        inputs = self.query_dense(x), self.key_dense(x), self.value_dense(x)
        options = {"causal": causal, "need_weights": need_weights}
        output, weights = scaled_dot_product_attention(*inputs, mask, **options)
        if self.output_dense is not None:
            output = self.output_dense(output)
        return output, weights

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(self, x_shape: tuple) -> tuple[tuple, tuple]:
        B, T, D = x_shape
        width = self.config["value_dim"] if self.output_dense is None else D
        return (B, T, width), (B, T, T)


def image_to_tokens(
    image: tf.Tensor, *, data_format: Format | None = None
) -> tf.Tensor:
    """See ``attn_course.reference.image_to_tokens``; channels last by default."""
    if check_image(image, data_format or DATA_FORMAT):
        image = tf.transpose(image, [0, 2, 3, 1])
    return tf.reshape(image, [tf.shape(image)[0], -1, image.shape[-1]])


def tokens_to_image(
    tokens: tf.Tensor, height: int, width: int, *, data_format: Format | None = None
) -> tf.Tensor:
    """See ``attn_course.reference.tokens_to_image``; channels last by default."""
    first = check_tokens_of(tokens, height, width, data_format or DATA_FORMAT)
    image = tf.reshape(tokens, [-1, height, width, tokens.shape[-1]])
    return tf.transpose(image, [0, 3, 1, 2]) if first else image


@keras.saving.register_keras_serializable("attn_course")
class FeatureMapAttention(SelfAttention):
    """Self-attention over pixels: ``attn_course.reference.feature_map_attention``.

    Raises:
        ValueError: a size is below 1, or an argument not as ``call`` says.
    """

    def __init__(
        self,
        channels: int,
        *,
        key_dim: int,
        value_dim: int,
        residual: bool = True,
        data_format: Format | None = None,
        **options: Any,
    ) -> None:
        check_at_least(1, channels=channels)
        if data_format is not None:
            check_choice("data_format", data_format, FORMATS)
        check_flags(residual=residual)
        widths = {"key_dim": key_dim, "value_dim": value_dim}
        super().__init__(channels, **widths, project=True, **options)
        self.data_format = data_format or DATA_FORMAT
        self.config = {"channels": channels, **widths, "residual": residual}
        self.config |= {"data_format": data_format}
        self.gate = self.add_weight((), "zeros", name="gate") if residual else None

    __call__ = Layer.__call__  # images carry no mask of Keras's
    compute_mask = Layer.compute_mask

    def call(
        self, image: tf.Tensor, mask: Mask = None, *, need_weights: bool = True
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """Attend from every pixel to all pixels.

        Shapes:
            image (B, height, width, channels), or channels first if so asked; mask as
            in ``SelfAttention`` with T = height * width
            -> the shape of the image, weights (B, T, T).
        """
        first = check_image(image, self.data_format, self.width)
        axes = slice(2, 4) if first else slice(1, 3)
        height, width = image.shape[axes]
        if None in (height, width):
            height, width = tf.unstack(tf.shape(image)[axes])
        tokens = image_to_tokens(image, data_format=self.data_format)
        output, weights = super().call(tokens, mask, need_weights=need_weights)
        output = tokens_to_image(output, height, width, data_format=self.data_format)
        if self.gate is not None:
            output = image + tf.cast(self.gate, image.dtype) * output
        return output, weights

    def compute_output_shape(self, image_shape: tuple) -> tuple[tuple, tuple]:
        first = self.data_format == "channels_first"
        height, width = image_shape[2:] if first else image_shape[1:3]
        T = None if None in (height, width) else height * width
        return tuple(image_shape), (image_shape[0], T, T)


@keras.saving.register_keras_serializable("attn_course")
class IntraAttentionLSTM(Layer):
    """LSTMN: ``attn_course.reference.intra_attention_lstm``.

    The padding that Keras carries on x serves as mask, together with a mask.

    Raises:
        ValueError: a size is below 1, an argument not as ``call`` says, or T is unknown
            when ``tf.function`` traces it: there is one graph per length.
    """

    parity_joint = "_"

    def __init__(
        self, input_dim: int, hidden_dim: int, *, attention_dim: int, **options: Any
    ) -> None:
        super().__init__(**options)
        self.config = {"input_dim": input_dim, "hidden_dim": hidden_dim}
        self.config |= {"attention_dim": attention_dim}
        check_at_least(1, **self.config)
        A, gates = attention_dim, PARTS * hidden_dim
        self.query_dense = dense(self, "query", input_dim, A, False)
        self.memory_dense = dense(self, "memory", hidden_dim, A, False)
        self.summary_dense = dense(self, "summary", hidden_dim, A, False)
        start = keras.initializers.RandomNormal(0, A**-0.5)
        self.score_weight = self.add_weight((A,), start, name="score_weight")
        self.input_dense = dense(self, "input", input_dim, gates, False)
        self.state_dense = dense(self, "state", hidden_dim, gates, False)
        none, one = [0.0] * hidden_dim, [1.0] * hidden_dim
        # remember at first, forget when it is learned
        start = keras.initializers.Constant([*none, *one, *none, *none])
        self.bias = self.add_weight((gates,), start, name="bias")
        self.built = True

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=0), **options)

    def call(self, x: tf.Tensor, mask: Mask = None) -> tuple[tf.Tensor, tf.Tensor]:
        """Read a sequence, one word at a time.

        Shapes:
            x (B, T, input_dim), mask (B, T), padding
            -> states (B, T, hidden_dim), weights (B, T, T).
        """
        check_intra(x, self.config["input_dim"], mask)
        if x.shape[1] is None:
            raise ValueError(f"x must have a known length T, got {x.shape}")
        queries = self.query_dense(x)
        inputs = self.input_dense(x) + tf.cast(self.bias, queries.dtype)
        real = tf.ones(tf.shape(x)[:2], tf.bool) if mask is None else mask
        zero, score_weight = (tf.cast(w, inputs.dtype) for w in (0, self.score_weight))
        summary = tf.zeros([tf.shape(x)[0], self.config["hidden_dim"]], inputs.dtype)
        states, cells, keys, weights = [], [], [], []
        for t in range(x.shape[1]):
            here, look = real[:, t, None], tf.zeros([tf.shape(x)[0], 0], inputs.dtype)
            found = past = summary
            if t:
                query = queries[:, t] + self.summary_dense(summary)
                score = tf.tanh(tf.stack(keys, 1) + query[:, None])
                score = tf.linalg.matvec(score, score_weight)
                look = masked_softmax(score, real[:, :t] & here)
                found = tf.einsum("bi,bih->bh", look, tf.stack(states, 1))
                past = tf.einsum("bi,bih->bh", look, tf.stack(cells, 1))
            state, cell = lstm_step(inputs[:, t] + self.state_dense(found), past)
            states.append(tf.where(here, state, zero))
            cells.append(tf.where(here, cell, zero))
            keys.append(self.memory_dense(states[-1]))
            summary = tf.where(here, found, summary)
            weights.append(tf.pad(look, [[0, 0], [0, x.shape[1] - t]]))
        return tf.stack(states, 1), tf.stack(weights, 1)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(self, x_shape: tuple) -> tuple[tuple, tuple]:
        B, T, _ = x_shape
        return (B, T, self.config["hidden_dim"]), (B, T, T)


def lstm_step(gates: tf.Tensor, past: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The LSTM's own equations: state and cell, from its gates and the past."""
    *parts, candidate = tf.split(gates, PARTS, axis=-1)
    input_, forget, output = map(tf.sigmoid, parts)
    cell = forget * past + input_ * tf.tanh(candidate)
    return output * tf.tanh(cell), cell
