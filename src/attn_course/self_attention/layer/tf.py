"""One head of self-attention in TensorFlow. Formula: ``reference.py``."""

from attn_course.dot_product.tf import (
    hide_nan,
    hide_unseen,
    scaled_dot_product_attention,
)
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.self_attention.layer.checks import SPECS, check_self_attention


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
