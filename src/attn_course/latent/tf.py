"""Latent attention in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.dot_product.tf import scaled_dot_product_attention
from attn_course.frameworks import keras, tf
from attn_course.grouped_query.tf import grouped_query_attention
from attn_course.kv_cache.tf import KVCache
from attn_course.latent.shared import EPSILON, latent_config, read_huggingface
from attn_course.layers.tf import (
    Mask,
    PairLayer,
    dense,
    merge_heads,
    split_heads,
    with_padding,
)
from attn_course.parity import set_parameters
from attn_course.positional.tf import rotate
from attn_course.shapes import check_floats, check_not_empty, check_shapes, dtype_name

__all__ = ["LatentAttention"]


@keras.saving.register_keras_serializable("attn_course")
class LatentAttention(PairLayer):
    """Latent attention: ``attn_course.reference.latent_attention``.

    The padding that Keras carries on x is blocked, together with what the mask blocks.

    Raises:
        ValueError: a size is no whole number of at least 1, or rope_dim is odd.
    """

    parity_joint = "_"  # query.kernel is called query_weight in ``attn_course.parity``

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        latent_dim: int,
        rope_dim: int,
        key_dim: int,
        value_dim: int,
        query_latent_dim: int | None = None,
        base: float = 10000.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.config = latent_config(
            base,
            query_latent_dim,
            model_dim=model_dim,
            num_heads=num_heads,
            latent_dim=latent_dim,
            rope_dim=rope_dim,
            key_dim=key_dim,
            value_dim=value_dim,
        )
        queries = num_heads * (key_dim + rope_dim)
        if query_latent_dim is None:
            self.query_dense = self.linear("query", model_dim, queries)
        else:
            self.query_down = self.linear("query_down", model_dim, query_latent_dim)
            self.query_norm = self.norm("query_norm", query_latent_dim)
            self.query_up = self.linear("query_up", query_latent_dim, queries)
        self.latent = self.linear("latent", model_dim, latent_dim + rope_dim)
        self.latent_norm = self.norm("latent_norm", latent_dim)
        built = num_heads * (key_dim + value_dim)
        self.key_value = self.linear("key_value", latent_dim, built)
        self.output_dense = self.linear("output", num_heads * value_dim, model_dim)
        self.built = True

    def linear(self, name, inputs, outputs):
        return dense(self, name, inputs, outputs, use_bias=False)

    def norm(self, name, width):
        options = {"epsilon": EPSILON, "name": name, "dtype": self.dtype_policy}
        part = keras.layers.RMSNormalization(**options)
        part.supports_masking = True  # padding passes; Keras's own stops it
        with keras.name_scope(self.name):
            part.build((None, width))
        return part

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=2), **options)

    def call(
        self,
        x: tf.Tensor,
        mask: Mask = None,
        *,
        causal: bool = True,
        absorbed: bool = False,
        need_weights: bool = True,
        cache: Any = None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """Attend from every position to all so far.

        Shapes:
            x (B, T, model_dim); mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...,
            True = may attend; cache: of ``new_cache``, S counts what it holds
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        sizes = check_shapes({"D": self.config["model_dim"]}, x=(x, "BTD"))
        check_not_empty(sizes, T="x")
        check_floats(x=x)
        T = tf.shape(x)[1] if x.shape[1] is None else x.shape[1]
        first = 0 if cache is None else cache.next_position(mask)
        positions = tf.range(T) + first
        query, entry = self.queries(x, positions), self.entries(x, positions)
        if cache is not None:
            mask, _ = cache.limit(T, mask)
            entry, _ = cache.update(entry, entry[..., :0])
        attend = self.attend_absorbed if absorbed else self.attend_naive
        options = {"causal": causal, "need_weights": need_weights}
        context, weights = attend(query, entry, mask, **options)
        return self.output_dense(merge_heads(context)), weights

    def queries(self, x, positions):
        """The queries (B, H, T, K + P), their last P columns rotated."""
        if self.config["query_latent_dim"] is None:
            query = self.query_dense(x)
        else:
            query = self.query_up(self.query_norm(self.query_down(x)))
        query = split_heads(query, self.config["num_heads"])
        return self.rotate_end(query, self.config["key_dim"], positions)

    def entries(self, x, positions):
        """What is kept of a position, (B, 1, T, R + P): its latent, its turned key."""
        R = self.config["latent_dim"]
        small = self.latent(x)
        entry = tf.concat([self.latent_norm(small[..., :R]), small[..., R:]], axis=-1)
        return self.rotate_end(entry[:, None], R, positions)

    def rotate_end(self, x, start, positions):
        options = {"layout": "interleaved", "base": self.config["base"]}
        turned = rotate(x[..., start:], positions, **options)
        return tf.concat([x[..., :start], turned], axis=-1)

    def attend_naive(self, query, entry, mask, **options):
        """Keys and values of all heads are built from the latents."""
        _, H, R, _, K, V, *_ = self.config.values()
        built = split_heads(self.key_value(entry[:, 0, :, :R]), H)
        key, value = tf.split(built, [K, V], axis=-1)
        turned = tf.repeat(entry[..., R:], H, axis=1)
        key = tf.concat([key, turned], axis=-1)
        return scaled_dot_product_attention(query, key, value, mask, **options)

    def attend_absorbed(self, query, entry, mask, **options):
        """The latents are keys and values: one head of them for all queries."""
        _, H, R, P, K, V, *_ = self.config.values()
        up_RHX = tf.reshape(tf.cast(self.key_value.kernel, query.dtype), (R, H, K + V))
        into_latent = tf.einsum("bhtk,rhk->bhtr", query[..., :K], up_RHX[..., :K])
        query = tf.concat([into_latent, query[..., K:]], axis=-1)
        context, weights = grouped_query_attention(
            query, entry, entry[..., :R], mask, scale=(K + P) ** -0.5, **options
        )
        return tf.einsum("bhtr,rhv->bhtv", context, up_RHX[..., K:]), weights

    def new_cache(self, batch: int, capacity: int, **options: Any) -> KVCache:
        """A cache of (latent_dim + rope_dim) numbers per position, for all heads.

        options: those of ``KVCache``.
        """
        width = self.config["latent_dim"] + self.config["rope_dim"]
        # The values are a part of the keys: nothing more is kept.
        options = {"dtype": self.compute_dtype} | options
        return KVCache(batch, 1, capacity, width, 0, **options)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(
        self, x_shape: tuple, **shapes: Any
    ) -> tuple[tuple, tuple]:
        B, T, _ = x_shape
        return tuple(x_shape), (B, self.config["num_heads"], T, T)

    @classmethod
    def from_huggingface(cls, module: Any) -> "LatentAttention":
        """A layer with the weights of Hugging Face's ``DeepseekV3Attention``.

        Raises:
            ValueError: it has what ours has not: biases, a lengthened rotary encoding.
        """
        sizes, parameters = read_huggingface(module)
        layer = cls(**sizes, dtype=dtype_name(module.o_proj.weight))
        set_parameters(layer, parameters)
        return layer
