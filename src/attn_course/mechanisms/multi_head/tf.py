"""Multi-head attention in TensorFlow. Formulas: ``reference.py``.

In a few lines: chapter 6 of the book. The steps are ``AttentionLayer.walk``'s.
"""

from collections.abc import Callable, Iterable

from attn_course.core.convert import check_kind, check_options
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer, copies, merge_heads, split_heads
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.mechanisms.dot_product.tf import dot_product
from attn_course.mechanisms.multi_head.shared import (
    check_losses,
    check_used,
    keep_heads,
    remaining_heads,
)

__all__ = ["MultiHeadAttention", "head_importance", "merge_heads", "split_heads"]


@keras.saving.register_keras_serializable("attn_course")
class MultiHeadAttention(AttentionLayer):
    """Multi-head attention: ``attn_course.reference.multi_head_attention``.

        q, k, v = project(query, key, value)        linear maps, cut into heads
        context, weights = attend(q, k, v, mask)    ``dot_product``
        return output(merge(context)), weights

    Norms, positions, cache and gate stand between, where there are any. That walk, and
    what projects, splits and merges: ``attn_course.core.layer.tf.AttentionLayer``.
    Dropout drops weights, in training only; the weights that come back are those before
    dropout.

    Differs: ``keras.layers.MultiHeadAttention`` is called with (query, value, key),
        takes masks of shape (B, T, S), and in a row that may see nothing averages all
        values, unless the scores are asked for.
    """

    own_softmax = own_scale = True
    attend = staticmethod(dot_product)

    def prune_heads(self, heads: Iterable[int]) -> "MultiHeadAttention":
        """A new layer without these heads: their columns are gone, not masked.

        Its output is this layer's with a ``head_mask`` of zeros at the heads.

        Raises:
            ValueError: a head does not exist, or none would be left, or the layer has
            groups of heads, or a softmax, output gate or norm over all heads, whose
            heads are its own.
        """
        parts = {"softmax": self.softmax, "output_gate": self.output_gate}
        grouped = self.num_kv_heads < self.num_heads
        over_all, _ = getattr(self.query_key_norm, "heads", (None, None))
        parts["query_key_norm over all heads"] = over_all
        check_supported("prune_heads", num_kv_heads=grouped, **parts)
        kept = remaining_heads(heads, self.num_heads)
        sizes = self.config | {"num_heads": len(kept)}
        parts = copies(self, "query_key_norm")
        layer = type(self)(**sizes, **parts, dtype=self.dtype_policy)
        parameters = {
            name: keep_heads(name, array, self.num_heads, kept)
            for name, array in get_parameters(self).items()
        }
        set_parameters(layer, parameters)
        return layer

    @classmethod
    def from_keras(cls, layer: keras.layers.MultiHeadAttention) -> "MultiHeadAttention":
        """A layer with the weights of a built ``keras.layers.MultiHeadAttention``.

        The output is the same; see the class for what differs in the call.

        Raises:
            ValueError: the layer is another kind, isn't built yet, is quantized, or has
            what ours has not.
        """
        check_kind("layer", layer, keras.layers.MultiHeadAttention)
        parts, sizes = dense_parts(layer, "{}_dense")
        check_options("layer", ("attention_axes", tuple(layer.attention_axes), (1,)))
        widths = {"key_dim": layer.key_dim, "value_dim": layer.value_dim}
        return with_kernels(cls(num_heads=layer.num_heads, **widths, **sizes), parts)


def dense_parts(layer, name):
    """Keras's four maps, whose attributes are so called, and what ours is built with.

    Raises:
        ValueError: the layer isn't built yet, is quantized, has a gate or a window, or
        gives vectors of another width than it takes.
    """
    if not layer.built:
        raise ValueError("layer must be built (called once) before it is converted")
    names = ("query", "key", "value", "output")
    parts = {x: getattr(layer, name.format(x)) for x in names}
    modes = {part.quantization_mode for part in parts.values()}
    widths = {x: part.kernel.shape[0] for x, part in parts.items()}
    check_options(
        "layer",
        ("quantization_mode", modes, {None}),
        ("output_shape", parts["output"].kernel.shape[-1], widths["query"]),
        ("use_gate", getattr(layer, "use_gate", getattr(layer, "_use_gate", 0)), 0),
        ("sliding_window", getattr(layer, "sliding_window", None), None),
        ("sliding_window", getattr(layer, "_sliding_window", None), None),
    )
    sizes = {"model_dim": widths["query"], "use_bias": layer.use_bias}
    sizes["memory_dim"] = widths["key"], widths["value"]
    return parts, sizes | {"dropout": layer.dropout, "dtype": layer.dtype_policy}


def with_kernels(ours, parts):
    """Ours with the numbers of Keras's maps, whose heads have an axis of their own."""
    for name, part in parts.items():
        dense = getattr(ours, f"{name}_dense")
        dense.kernel.assign(tf.reshape(part.kernel, dense.kernel.shape))
        if ours.sizes.use_bias:
            dense.bias.assign(tf.reshape(part.bias, dense.bias.shape))
    return ours


def head_importance(
    loss: Callable, head_mask: tf.Tensor | tuple[tf.Tensor, ...]
) -> tf.Tensor | tuple[tf.Tensor, ...]:
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
