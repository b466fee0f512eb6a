"""Shaw's relative attention in TensorFlow. Formulas: ``reference.py``."""

from attn_course.dot_product.tf import scaled_dot_product_attention
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.multi_head.checks import check_dtypes
from attn_course.multi_head.tf import (
    add_weights,
    hide,
    merge_heads,
    project,
    split_heads,
)
from attn_course.positional.tf import key_distance
from attn_course.relative.shared import (
    check_relative,
    layer_sizes,
    weight_shapes,
)

__all__ = ["RelativeAttention"]


@keras.saving.register_keras_serializable("attn_course")
class RelativeAttention(Layer):
    """Relative attention: ``attn_course.reference.relative_attention``.

    Multi-head attention with a bias that the query chooses, query[t] . relative_key[r],
    and with the vectors of the distances added to the values. A mask that Keras carries
    on key or value (``Embedding(mask_zero=True)``) is padding.

    Shapes:
        query (B, T, model_dim); key and value (B, S, model_dim), where None is the
        query, and the key; mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...; bias
        broadcastable to (B, H, T, S), added to the scaled scores
        -> output (B, T, model_dim), weights (B, H, T, S).

    Dropout drops weights, in training only; the weights that come back are those before
    it.

    Raises:
        ValueError: a size, shape, dtype or mask is not as above.
    """

    def __init__(
        self,
        model_dim,
        num_heads,
        *,
        max_distance,
        key_dim=None,
        value_dim=None,
        use_bias=False,
        dropout=0.0,
        **options,
    ):
        super().__init__(**options)
        sizes = model_dim, num_heads, max_distance, key_dim, value_dim
        self.sizes = layer_sizes(*sizes, use_bias, dropout)
        self.num_heads, self.max_distance = num_heads, max_distance
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        shapes = weight_shapes(self.sizes)
        self.names = tuple(shapes)
        add_weights(self, shapes)
        self.built = True

    def __call__(self, query, key=None, value=None, mask=None, **options):
        mask = self.with_carried(query if key is None else key, mask, heads=True)
        mask = self.with_carried(value, mask, heads=True)
        return super().__call__(query, key, value, mask, **options)

    def call(
        self,
        query,
        key=None,
        value=None,
        mask=None,
        *,
        bias=None,
        causal=False,
        need_weights=True,
        training=False,
    ):
        key = query if key is None else key
        value = key if value is None else value
        inputs = {"query": query, "key": key, "value": value}
        parameters = {n: tf.cast(getattr(self, n), query.dtype) for n in self.names}
        options = {"mask": mask, "bias": bias}
        check_relative(inputs, parameters, self.num_heads, **options)
        check_dtypes(inputs, parameters, bias)
        queries, keys, values = (
            split_heads(project(x, parameters, name), self.num_heads)
            for name, x in hide(inputs, mask, causal).items()
        )
        distance = key_distance(tf.shape(query)[1], tf.shape(key)[1])
        row_TS = tf.clip_by_value(distance, -self.max_distance, self.max_distance)
        row_TS = row_TS + self.max_distance
        far_TSK = tf.gather(parameters["relative_key"], row_TS)
        far_TSV = tf.gather(parameters["relative_value"], row_TS)
        far = tf.einsum("bhtk,tsk->bhts", queries, far_TSK)
        far = far * queries.shape[-1] ** -0.5
        context, weights = scaled_dot_product_attention(
            queries,
            keys,
            values,
            mask,
            bias=far if bias is None else far + bias,
            causal=causal,
        )
        used = weights
        if training and self.sizes["dropout"] > 0:
            used = self.dropout(weights, training=True)
            context = used @ values
        context = context + tf.einsum("bhts,tsv->bhtv", used, far_TSV)
        output = project(merge_heads(context), parameters, "output")
        return output, weights if need_weights else None
