"""Shaw's relative attention in TensorFlow. Formulas: ``reference.py``."""

from attn_course.dot_product.tf import hide_unseen, scaled_dot_product_attention
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.positional.bias.tf import key_distance
from attn_course.positional.relative.checks import check_relative, head_widths


@keras.saving.register_keras_serializable("attn_course")
class RelativeAttention(Layer):
    """Relative attention: ``attn_course.reference.relative_attention``.

    Scaled dot-product attention with a bias that the query chooses, query[t] .
    relative_key[r], and with the vectors of the distances added to the values. A mask
    that Keras carries on the key (``Embedding(mask_zero=True)``) serves as padding.

    Shapes:
        query (B, T, model_dim); key and value (B, S, model_dim), where None is the
        query, and the key; mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...
        -> output (B, T, model_dim), weights (B, H, T, S).

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
        **options,
    ):
        super().__init__(**options)
        self.model_dim, self.num_heads = model_dim, num_heads
        self.max_distance = max_distance
        widths = head_widths(model_dim, num_heads, max_distance, key_dim, value_dim)
        key_dim, value_dim = widths
        self.sizes = {"model_dim": model_dim, "num_heads": num_heads}
        self.sizes |= {"max_distance": max_distance, "use_bias": use_bias}
        self.sizes |= {"key_dim": key_dim, "value_dim": value_dim}
        keys, values, rows = (
            num_heads * key_dim,
            num_heads * value_dim,
            2 * max_distance,
        )
        self._add_weight("query_weight", model_dim, keys)
        self._add_weight("key_weight", model_dim, keys)
        self._add_weight("value_weight", model_dim, values)
        self._add_weight("output_weight", values, model_dim)
        self._add_weight("relative_key", rows + 1, key_dim)
        self._add_weight("relative_value", rows + 1, value_dim)
        for name, size in (
            ("query_bias", keys),
            ("key_bias", keys),
            ("value_bias", values),
            ("output_bias", model_dim),
        ):
            bias = self.add_weight((size,), "zeros", name=name) if use_bias else None
            setattr(self, name, bias)
        self.built = True

    def _add_weight(self, name, *shape):
        start = keras.initializers.GlorotUniform()
        setattr(self, name, self.add_weight(shape, start, name=name))

    def __call__(self, query, key=None, value=None, mask=None, **options):
        asked = query if key is None else key
        mask = self.with_carried(asked, mask, heads=True)
        return super().__call__(query, key, value, mask, **options)

    def call(
        self,
        query,
        key=None,
        value=None,
        mask=None,
        *,
        causal=False,
        need_weights=True,
    ):
        key = query if key is None else key
        value = key if value is None else value
        sizes = {"model_dim": self.model_dim, "num_heads": self.num_heads}
        check_relative(query, key, value, mask, **sizes)
        distance = key_distance(tf.shape(query)[1], tf.shape(key)[1])
        if causal:
            mask = distance <= 0 if mask is None else mask & (distance <= 0)
        if mask is not None:
            by_any_head = mask if len(mask.shape) == 2 else tf.reduce_any(mask, axis=1)
            key, value = hide_unseen(key, by_any_head), hide_unseen(value, by_any_head)
        query = self._heads(query, self.query_weight, self.query_bias)
        key = self._heads(key, self.key_weight, self.key_bias)
        value = self._heads(value, self.value_weight, self.value_bias)
        most = self.max_distance
        row_TS = tf.clip_by_value(distance, -most, most) + most
        far_TSK = tf.cast(tf.gather(self.relative_key, row_TS), query.dtype)
        far_TSV = tf.cast(tf.gather(self.relative_value, row_TS), query.dtype)
        bias = tf.einsum("bhtk,tsk->bhts", query, far_TSK) * query.shape[-1] ** -0.5
        context, weights = scaled_dot_product_attention(
            query, key, value, mask, bias=bias
        )
        context = context + tf.einsum("bhts,tsv->bhtv", weights, far_TSV)
        shape = (self.num_heads, -1, self.model_dim)
        output_weight = tf.cast(tf.reshape(self.output_weight, shape), context.dtype)
        output = tf.einsum("bhtv,hvd->btd", context, output_weight)
        if self.output_bias is not None:
            output = output + tf.cast(self.output_bias, output.dtype)
        return output, weights if need_weights else None

    def _heads(self, x, weight, bias):
        """Project into heads: (B, S, D) -> (B, H, S, K)."""
        weight = tf.reshape(weight, (self.model_dim, self.num_heads, -1))
        x = tf.einsum("bsd,dhk->bhsk", x, tf.cast(weight, x.dtype))
        if bias is None:
            return x
        return x + tf.cast(tf.reshape(bias, (self.num_heads, 1, -1)), x.dtype)
