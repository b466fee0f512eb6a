"""Self-attention over an image in TensorFlow. Formulas: ``reference.py``."""

from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.self_attention.feature_map.checks import check_image, check_tokens_of
from attn_course.self_attention.layer.tf import SelfAttention

DATA_FORMAT = "channels_last"


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
