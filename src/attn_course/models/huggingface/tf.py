"""Layers of Hugging Face's models in TensorFlow, as ``__init__.py`` says."""

from typing import Any, ClassVar

from attn_course.core.chunked.tf import pad
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import PairLayer, dense, merge, split, with_padding
from attn_course.core.masks.tf import Mask
from attn_course.core.parity import set_parameters
from attn_course.mechanisms.delta_rule.tf import delta_rule_attention
from attn_course.mechanisms.differential.tf import DifferentialAttention
from attn_course.mechanisms.grouped_query.tf import GroupedQueryAttention
from attn_course.mechanisms.indexed.tf import IndexedAttention
from attn_course.mechanisms.latent.tf import LatentAttention
from attn_course.mechanisms.multi_head.tf import MultiHeadAttention
from attn_course.mechanisms.parts.gated.tf import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.tf import LogLengthScale
from attn_course.mechanisms.parts.positional.tf import RotaryEncoding
from attn_course.mechanisms.window.tf import SlidingWindowAttention
from attn_course.models.encoder.tf import EncoderLayer
from attn_course.models.huggingface.shared import check_words, read_huggingface

__all__ = ["from_huggingface"]


@keras.saving.register_keras_serializable("attn_course")
class GatedDeltaNet(PairLayer):
    """The linear layer of Qwen3-Next, Qwen3.5 and Kimi Linear, around the delta rule.

    query, key, value = silu(convolution(linear maps of x)), the first two at length 1
    decay = exp(-exp(rate) * softplus(linear map)), one a head, or a column of its key
    output = linear(scale * context / rms(context) * activation(gate))

    The convolution is short and causal, each column by itself. Always causal. The mask
    is padding. No state, no cache: a text at once.
    """

    parity_joint = "_"
    activations: ClassVar = {"silu": tf.nn.silu, "sigmoid": tf.sigmoid}

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int,
        value_dim: int,
        taps: int,
        columns: bool,
        activation: str,
        epsilon: float,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        H, K, V = self.sizes = num_heads, key_dim, value_dim
        self.config = {"model_dim": model_dim, "num_heads": H, "key_dim": K}
        self.config |= {"value_dim": V, "taps": taps, "columns": columns}
        self.config |= {"activation": activation, "epsilon": epsilon}
        self.model_dim = model_dim
        self.activation, self.epsilon = self.activations[activation], epsilon
        for name, width in (("query", K), ("key", K), ("value", V), ("gate", V)):
            made = dense(self, name, model_dim, H * width, False)
            setattr(self, f"{name}_dense", made)
        self.beta = dense(self, "beta", model_dim, H, False)
        width = H * (K if columns else 1)
        self.decay = dense(self, "decay", model_dim, width, True)
        self.output_dense = dense(self, "output", H * V, model_dim, False)
        shapes = {"convolution": (taps, H * (2 * K + V)), "rate": (H,), "scale": (V,)}
        for name, shape in shapes.items():
            start = "ones" if name == "scale" else "zeros"
            made = self.add_weight(shape=shape, initializer=start, name=name)
            setattr(self, name, made)
        self.built = True

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=2), **options)

    def call(
        self, x: tf.Tensor, mask: Mask = None, *, cache: Any = None, **_: Any
    ) -> tuple[tf.Tensor, None]:
        """x (B, S, model_dim), mask (B, 1, 1, S) -> the same shape, None."""
        check_supported("GatedDeltaNet", cache=cache)
        check_words(x, self.model_dim, mask)
        if mask is not None:
            x = tf.where(mask[:, 0, 0, :, None], x, tf.zeros((), x.dtype))
        H, K, V = self.sizes
        maps = self.query_dense, self.key_dense, self.value_dense
        joint = tf.concat([part(x) for part in maps], axis=-1)
        joint = tf.nn.silu(convolved(joint, self.convolution))
        parts = tf.split(joint, [H * K, H * K, H * V], axis=-1)
        query, key, value = (split(part, H) for part in parts)
        fall = split(self.decay(x), H)  # (B, H, S, 1 or K)
        fall = tf.nn.softplus(fall)
        decay = tf.exp(-tf.exp(self.rate)[:, None, None] * fall)
        context, _ = delta_rule_attention(
            K**-0.5 * of_length_1(query),
            of_length_1(key),
            value,
            tf.linalg.matrix_transpose(tf.sigmoid(self.beta(x))),
            mask=mask,
            decay=decay[..., 0] if decay.shape[-1] == 1 else decay,
        )
        square = tf.reduce_mean(context**2, axis=-1, keepdims=True)
        context = self.scale * context * tf.math.rsqrt(square + self.epsilon)
        context = context * self.activation(split(self.gate_dense(x), H))
        return self.output_dense(merge(context)), None


def convolved(x, taps):
    """x (B, S, X): of every column the last N positions times its taps (N, X)."""
    N, S = taps.shape[0], tf.shape(x)[1]
    x = pad(x, N - 1, 0)
    return sum(x[:, n : n + S] * taps[n] for n in range(N))


def of_length_1(x):
    """x at length 1, but for what is nearly 0."""
    return x * tf.math.rsqrt(tf.reduce_sum(x**2, axis=-1, keepdims=True) + 1e-6)


KINDS = {
    kind.__name__: kind
    for kind in (
        CappedSoftmax,
        DifferentialAttention,
        GatedDeltaNet,
        GroupedQueryAttention,
        IndexedAttention,
        LatentAttention,
        LogLengthScale,
        MultiHeadAttention,
        OutputGate,
        QueryKeyNorm,
        RotaryEncoding,
        SinkSoftmax,
        SlidingWindowAttention,
    )
}


def from_huggingface(module: Any) -> keras.layers.Layer:
    """One of our layers with the weights of a layer of ``transformers``.

    See ``attn_course.models.huggingface`` for the models, and how each is called.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    recipe = read_huggingface(module)
    dtype = {"dtype": next(iter(recipe.parameters.values())).dtype.name}
    parts = {
        name: KINDS[kind](**own, **dtype) for name, (kind, own) in recipe.parts.items()
    }
    layer = KINDS[recipe.kind](**recipe.options, **parts, **dtype)
    if recipe.layer is not None:
        layer = EncoderLayer(**recipe.layer, attention=layer, **dtype)
    set_parameters(layer, recipe.parameters)
    return layer
