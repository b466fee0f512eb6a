"""Self-attention in TensorFlow. Formulas: ``reference.py``."""

from attn_course.dot_product.tf import (
    hide_nan,
    hide_unseen,
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.self_attention.shared import (
    INTRA_SPECS,
    PARTS,
    SPECS,
    check_image,
    check_intra,
    check_self_attention,
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
class SelfAttention(Layer):
    """One head of self-attention: ``attn_course.reference.self_attention``.

    A mask that Keras carries on x (``Embedding(mask_zero=True)``) serves as padding.

    Shapes:
        x (B, T, model_dim), mask (T, T), (B, 1, T) or (B, T, T)
        -> output (B, T, value_dim), or (B, T, model_dim) if ``project``; weights
        (B, T, T), None for ``need_weights=False``.

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """

    def __init__(self, model_dim, *, key_dim, value_dim, project=False, **options):
        super().__init__(**options)
        self.sizes = {"model_dim": model_dim, "key_dim": key_dim}
        self.sizes |= {"value_dim": value_dim, "project": project}
        self.query_weight = self._weight("query_weight", model_dim, key_dim)
        self.key_weight = self._weight("key_weight", model_dim, key_dim)
        self.value_weight = self._weight("value_weight", model_dim, value_dim)
        self.output_weight = None
        if project:
            self.output_weight = self._weight("output_weight", value_dim, model_dim)
        self.built = True

    def __call__(self, x, mask=None, **options):
        return super().__call__(x, self.with_carried(x, mask), **options)

    def call(self, x, mask=None, *, causal=False, need_weights=True):
        weight = self._weights(x.dtype)
        check_self_attention(x, weight, mask)
        seen = x if mask is None else hide_unseen(x, mask)
        asking = x if mask is None else hide_nan(x, mask)
        output, weights = scaled_dot_product_attention(
            asking @ weight["query_weight"],
            seen @ weight["key_weight"],
            seen @ weight["value_weight"],
            mask,
            causal=causal,
            need_weights=need_weights,
        )
        if self.output_weight is not None:
            output = output @ weight["output_weight"]
        return output, weights

    def _weights(self, dtype):
        found = {name: getattr(self, name) for name in SPECS}
        return {k: tf.cast(x, dtype) for k, x in found.items() if x is not None}

    def _weight(self, name, *shape):
        return self.add_weight(shape, "glorot_uniform", name=name)


def image_to_tokens(image, *, data_format=None):
    """See ``attn_course.reference.image_to_tokens``; channels last by default."""
    if check_image(image, data_format or DATA_FORMAT):
        image = tf.transpose(image, [0, 2, 3, 1])
    return tf.reshape(image, [tf.shape(image)[0], -1, image.shape[-1]])


def tokens_to_image(tokens, height, width, *, data_format=None):
    """See ``attn_course.reference.tokens_to_image``; channels last by default."""
    first = check_tokens_of(tokens, height, width, data_format or DATA_FORMAT)
    image = tf.reshape(tokens, [-1, height, width, tokens.shape[-1]])
    return tf.transpose(image, [0, 3, 1, 2]) if first else image


@keras.saving.register_keras_serializable("attn_course")
class FeatureMapAttention(SelfAttention):
    """Self-attention over pixels: ``attn_course.reference.feature_map_attention``.

    Shapes:
        image (B, height, width, channels), or channels first if so asked; mask as in
        ``SelfAttention`` with T = height * width
        -> the shape of the image, weights (B, T, T).

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.
    """

    def __init__(
        self,
        channels,
        *,
        key_dim,
        value_dim,
        residual=True,
        data_format=None,
        **options,
    ):
        widths = {"key_dim": key_dim, "value_dim": value_dim}
        super().__init__(channels, **widths, project=True, **options)
        self.data_format = data_format or DATA_FORMAT
        self.sizes = {"channels": channels, **widths, "residual": residual}
        self.sizes |= {"data_format": data_format}
        self.gate = self.add_weight((), "zeros", name="gate") if residual else None

    __call__ = Layer.__call__  # images carry no mask of Keras's

    def call(self, image, mask=None, *, need_weights=True):
        first = check_image(image, self.data_format)
        height, width = image.shape[2:] if first else image.shape[1:3]
        tokens = image_to_tokens(image, data_format=self.data_format)
        output, weights = super().call(tokens, mask, need_weights=need_weights)
        output = tokens_to_image(output, height, width, data_format=self.data_format)
        if self.gate is not None:
            output = image + tf.cast(self.gate, image.dtype) * output
        return output, weights


@keras.saving.register_keras_serializable("attn_course")
class IntraAttentionLSTM(Layer):
    """LSTMN: ``attn_course.reference.intra_attention_lstm``.

    A mask that Keras carries on x (``Embedding(mask_zero=True)``) serves as padding.

    Shapes:
        x (B, T, input_dim), mask (B, T), padding
        -> states (B, T, hidden_dim), weights (B, T, T).

    Raises:
        ValueError: a shape, dtype or the mask is not as above, or T is unknown when
            ``tf.function`` traces it: there is one graph a length.
    """

    def __init__(self, input_dim, hidden_dim, *, attention_dim, **options):
        super().__init__(**options)
        self.sizes = {"input_dim": input_dim, "hidden_dim": hidden_dim}
        self.sizes |= {"attention_dim": attention_dim}
        widths = {"D": input_dim, "H": hidden_dim, "A": attention_dim}
        widths["G"] = PARTS * hidden_dim
        starts = {
            "score_weight": keras.initializers.RandomNormal(0, attention_dim**-0.5)
        }
        starts["bias"] = keras.initializers.Constant(
            [0.0] * hidden_dim + [1.0] * hidden_dim + [0.0] * 2 * hidden_dim
        )  # remember at first, forget when it is learned
        for name, letters in INTRA_SPECS.items():
            shape = [widths[letter] for letter in letters]
            start = starts.get(name, "glorot_uniform")
            setattr(self, name, self.add_weight(shape, start, name=name))
        self.built = True

    def call(self, x, mask=None):
        weight = {name: tf.cast(getattr(self, name), x.dtype) for name in INTRA_SPECS}
        check_intra(x, weight, mask)
        if x.shape[1] is None:
            raise ValueError(f"x must have a known length T, got {x.shape}")
        real = tf.ones(tf.shape(x)[:2], tf.bool) if mask is None else mask
        zero = tf.zeros((), x.dtype)
        x = tf.where(real[..., None], x, zero)
        queries = x @ weight["query_weight"]
        inputs = x @ weight["input_weight"] + weight["bias"]
        summary = tf.zeros([tf.shape(x)[0], self.sizes["hidden_dim"]], x.dtype)
        states, cells, keys, weights = [], [], [], []
        for t in range(x.shape[1]):
            query = queries[:, t] + summary @ weight["summary_weight"]
            if t:
                score = tf.tanh(tf.stack(keys, 1) + query[:, None])
                score = tf.linalg.matvec(score, weight["score_weight"])
                look = masked_softmax(score, real[:, :t] & real[:, t, None])
                found = tf.einsum("bi,bih->bh", look, tf.stack(states, 1))
                past = tf.einsum("bi,bih->bh", look, tf.stack(cells, 1))
            else:  # no past yet
                look = tf.zeros([tf.shape(x)[0], 0], x.dtype)
                found = past = summary
            state, cell = self._step(inputs[:, t], found, past, weight["state_weight"])
            here = real[:, t, None]
            states.append(tf.where(here, state, zero))
            cells.append(tf.where(here, cell, zero))
            keys.append(states[-1] @ weight["memory_weight"])
            summary = tf.where(here, found, summary)
            weights.append(tf.pad(look, [[0, 0], [0, x.shape[1] - t]]))
        return tf.stack(states, 1), tf.stack(weights, 1)

    def _step(self, inputs, summary, past, state_weight):
        """The LSTM's own equations, from the summary and the past."""
        parts = tf.split(inputs + summary @ state_weight, PARTS, axis=-1)
        input_, forget, output = map(tf.sigmoid, parts[:3])
        cell = forget * past + input_ * tf.tanh(parts[3])
        return output * tf.tanh(cell), cell
