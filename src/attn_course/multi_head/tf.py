"""Multi-head attention in TensorFlow. Formulas: ``reference.py``."""

from attn_course.dot_product.tf import (
    block_future,
    hide_nan,
    hide_unseen,
    scaled_dot_product_attention,
)
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.multi_head.checks import (
    check_divisible,
    check_dtypes,
    check_losses,
    check_multi_head,
    check_options,
    check_used,
    keep_heads,
    layer_sizes,
    remaining_heads,
    weight_shapes,
)
from attn_course.shapes import check_shapes


def split_heads(x, num_heads):
    """See ``attn_course.reference.split_heads``."""
    width = check_shapes(x=(x, "BTD"))["D"]
    check_divisible("x", width, num_heads)
    own = -1 if width is None else width // num_heads
    shape = (tf.shape(x)[0], tf.shape(x)[1], num_heads, own)
    return tf.transpose(tf.reshape(x, shape), (0, 2, 1, 3))


def merge_heads(x):
    """See ``attn_course.reference.merge_heads``."""
    _, H, _, K = check_shapes(x=(x, "BHTK")).values()
    width = -1 if None in (H, K) else H * K
    x = tf.transpose(x, (0, 2, 1, 3))
    return tf.reshape(x, (tf.shape(x)[0], tf.shape(x)[1], width))


def add_weights(layer, shapes):
    """Give a layer its parameters by name: matrices drawn, biases zero."""
    for name, shape in shapes.items():
        start = "glorot_uniform" if len(shape) == 2 else "zeros"
        setattr(layer, name, layer.add_weight(shape, start, name=name))


def project(x, parameters, name):
    """x @ weight + bias, in one product for all heads."""
    projected = tf.einsum("btd,dx->btx", x, parameters[f"{name}_weight"])
    bias = parameters.get(f"{name}_bias")
    return projected if bias is None else projected + bias


def hide(inputs, mask, causal):
    """Key and value, zero where no query may look with any head.

    Before they are projected: a NaN would reach the gradient of the weights. In
    self-attention the query is zero too where it can't be seen and isn't finite.
    """
    if mask is None:
        return inputs
    query, key, value = inputs.values()
    mask = block_future(mask, query, key) if causal else mask
    seen = mask if len(mask.shape) == 2 else tf.reduce_any(mask, axis=1)
    shown = hide_unseen(key, seen)
    return {
        "query": hide_nan(query, seen) if query is key else query,
        "key": shown,
        "value": shown if value is key else hide_unseen(value, seen),
    }


@keras.saving.register_keras_serializable("attn_course")
class MultiHeadAttention(Layer):
    """Multi-head attention: ``attn_course.reference.multi_head_attention``.

    key None attends to the query itself, value None takes the key. Dropout drops
    weights, in training only; the weights that come back are those before it. A mask
    that Keras carries on key or value (``Embedding(mask_zero=True)``) is padding,
    together with the mask that is given; one on the query only where that is the key.
    In a functional model of Keras no output may be None: take the weights there.

    Shapes:
        query (B, T, model_dim), key (B, S, memory_dim), value (B, S, memory_dim),
        mask, bias and head_mask as in the reference
        -> output (B, T, model_dim), weights (B, num_heads, T, S) or None.

    Raises:
        ValueError: a shape, dtype, mask or size is not as above.

    Differs: ``keras.layers.MultiHeadAttention`` is called with (query, value, key),
        takes masks of shape (B, T, S), and in a row that may see nothing averages all
        values, unless the scores are asked for.
    """

    def __init__(
        self,
        model_dim,
        num_heads,
        *,
        key_dim=None,
        value_dim=None,
        memory_dim=None,
        use_bias=True,
        dropout=0.0,
        rotary=None,
        **options,
    ):
        super().__init__(**options)
        self.sizes = layer_sizes(
            model_dim, num_heads, key_dim, value_dim, memory_dim, use_bias, dropout
        )
        self.num_heads, self.rotary = num_heads, rotary
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
        head_mask=None,
        training=False,
    ):
        key = query if key is None else key
        value = key if value is None else value
        inputs = {"query": query, "key": key, "value": value}
        parameters = {n: tf.cast(getattr(self, n), query.dtype) for n in self.names}
        options = {"mask": mask, "bias": bias, "head_mask": head_mask}
        check_multi_head(inputs, parameters, self.num_heads, **options)
        check_dtypes(inputs, parameters, bias)
        queries, keys, values = (
            split_heads(project(x, parameters, name), self.num_heads)
            for name, x in hide(inputs, mask, causal).items()
        )
        if self.rotary is not None:
            queries, keys = self.rotary(queries, keys)
        context, weights = scaled_dot_product_attention(
            queries, keys, values, mask, bias=bias, causal=causal
        )
        if training and self.sizes["dropout"] > 0:
            context = self.dropout(weights, training=True) @ values
        if head_mask is not None:
            context = context * tf.cast(head_mask, context.dtype)[..., None, None]
        output = project(merge_heads(context), parameters, "output")
        return output, weights if need_weights else None

    def prune_heads(self, heads):
        """A new layer without these heads: their columns are gone, not masked.

        Its output is this layer's with a ``head_mask`` of zeros at the heads.

        Raises:
            ValueError: a head does not exist, or none would be left.
        """
        kept = remaining_heads(heads, self.num_heads)
        sizes = self.sizes | {"num_heads": len(kept)}
        layer = type(self)(**sizes, rotary=self.rotary, dtype=self.dtype_policy)
        parameters = {
            name: keep_heads(name, getattr(self, name).numpy(), self.num_heads, kept)
            for name in self.names
        }
        return _fill(layer, parameters)

    @classmethod
    def from_keras(cls, layer):
        """A layer with the weights of a built ``keras.layers.MultiHeadAttention``.

        The output is the same; see the class for what differs in the call.

        Raises:
            ValueError: the layer isn't built yet, or has what ours has not.
        """
        if not layer.built:
            raise ValueError("layer must be built (called once) before it is converted")
        names = ("query", "key", "value", "output")
        parts = {name: getattr(layer, f"{name}_dense") for name in names}
        widths = {name: part.kernel.shape[0] for name, part in parts.items()}
        check_options(
            "layer",
            ("output_shape", parts["output"].kernel.shape[-1], widths["query"]),
            ("attention_axes", tuple(layer.attention_axes), (1,)),
            ("sliding_window", getattr(layer, "_sliding_window", None), None),
            ("use_gate", getattr(layer, "_use_gate", False), False),
        )
        ours = cls(
            widths["query"],
            layer.num_heads,
            key_dim=layer.key_dim,
            value_dim=layer.value_dim,
            memory_dim=(widths["key"], widths["value"]),
            use_bias=layer.use_bias,
            dropout=layer.dropout,
            dtype=layer.dtype_policy,
        )
        # Keras keeps the heads on an axis of their own.
        parameters = {f"{n}_weight": part.kernel.numpy() for n, part in parts.items()}
        if layer.use_bias:
            parameters |= {f"{n}_bias": part.bias.numpy() for n, part in parts.items()}
        return _fill(ours, parameters)

    def get_config(self):
        rotary = keras.saving.serialize_keras_object(self.rotary)
        return {**super().get_config(), "rotary": rotary}

    @classmethod
    def from_config(cls, config):
        rotary = keras.saving.deserialize_keras_object(config.pop("rotary"))
        return cls(**config, rotary=rotary)


def head_importance(loss, head_mask):
    """See ``attn_course.pytorch.head_importance``."""
    several = isinstance(head_mask, tuple)
    masks = head_mask if several else (head_mask,)
    leaves = tuple(tf.identity(mask) for mask in masks)
    with tf.GradientTape() as tape:
        tape.watch(leaves)
        losses = loss(leaves if several else leaves[0])
        check_losses(losses, leaves)
    # Each row of a mask reaches the loss of its own example only.
    gradients = tape.gradient(losses, leaves)
    check_used(gradients)
    importance = tuple(tf.reduce_mean(tf.abs(each), axis=0) for each in gradients)
    return importance if several else importance[0]


def _fill(layer, parameters):
    """Write parameters into a layer, heads and their widths on one axis."""
    for name, array in parameters.items():
        variable = getattr(layer, name)
        variable.assign(array.reshape(variable.shape))
    return layer
