"""Latent attention in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_head_share, check_words
from attn_course.core.layer.tf import (
    AttentionLayer,
    dense,
    matrix_of,
    split,
    with_padding,
)
from attn_course.core.masks.tf import Mask
from attn_course.core.parity import set_parameters
from attn_course.core.shapes import check_at_least, dtype_name
from attn_course.mechanisms.dot_product.tf import dot_product
from attn_course.mechanisms.grouped_query.tf import in_groups_causally
from attn_course.mechanisms.latent.shared import (
    BASE,
    EPSILON,
    REFUSED,
    LatentSizes,
    check_turn,
    read_huggingface,
)
from attn_course.mechanisms.parts.positional.tf import RotaryEncoding, turned, waves

__all__ = ["LatentAttention"]


@keras.saving.register_keras_serializable("attn_course")
class LatentAttention(AttentionLayer):
    """Latent attention: ``attn_course.reference.latent_attention``.

    scale None is 1 / sqrt(key_dim + rope_dim). rotary: another rotation of the last
    rope_dim columns, as ``RotaryEncoding(rope_dim, layout="interleaved", ...)``; base
    is for the usual one. The parts are those of ``AttentionLayer``, but for a norm of
    query and key: there is no key for it where the latents are keys. The padding that
    Keras carries on x is blocked, together with what the mask blocks.

    Raises:
        ValueError: a size is no whole number of at least 1, rope_dim is odd, or a part
            is given that it can't take.
    """

    Sizes = LatentSizes
    nested = ("rotary", "softmax", "output_gate")
    own_softmax = own_scale = grouped = True
    reads_memory = False  # it has one input
    refused = REFUSED
    read = staticmethod(read_huggingface)

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
        base: float = BASE,
        dropout: float = 0.0,
        scale: float | None = None,
        rotary: keras.layers.Layer | None = None,
        softmax: keras.layers.Layer | None = None,
        output_gate: keras.layers.Layer | None = None,
        own: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        check_at_least(1, key_dim=key_dim, value_dim=value_dim)
        check_turn(base, rotary)
        own = {} if own is None else own
        own |= {"latent_dim": latent_dim, "rope_dim": rope_dim, "base": base}
        super().__init__(
            model_dim,
            num_heads,
            key_dim=key_dim,
            value_dim=value_dim,
            use_bias=False,
            dropout=dropout,
            scale=scale,
            rotary=rotary,
            softmax=softmax,
            output_gate=output_gate,
            own=own | {"query_latent_dim": query_latent_dim},
            **options,
        )

    def make_maps(self) -> None:
        """The linear maps and norms, by the sizes."""
        sizes = self.sizes
        D, H, R, Q = (
            sizes.model_dim,
            sizes.num_heads,
            sizes.latent_dim,
            sizes.query_latent_dim,
        )
        queries = H * (sizes.key_dim + sizes.rope_dim)
        if Q is None:
            self.query_dense = dense(self, "query", D, queries, False)
        else:
            self.query_down = dense(self, "query_down", D, Q, False)
            self.query_norm = self.norm("query_norm", Q)
            self.query_up = dense(self, "query_up", Q, queries, False)
        self.latent = dense(self, "latent", D, R + sizes.rope_dim, False)
        self.latent_norm = self.norm("latent_norm", R)
        built = H * (sizes.key_dim + sizes.value_dim)
        self.key_value = dense(self, "key_value", R, built, False)
        self.output_dense = dense(self, "output", H * sizes.value_dim, D, False)

    def norm(self, name, width, kind=keras.layers.RMSNormalization):
        options = {"epsilon": EPSILON, "name": name, "dtype": self.dtype_policy}
        part = kind(**options)
        part.supports_masking = True  # padding passes; Keras's own stops it
        with keras.name_scope(self.name):
            part.build((None, width))
        return part

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        mask = with_padding(mask, x, axes=2)
        return super(AttentionLayer, self).__call__(x, mask, **options)

    def call(
        self,
        x: tf.Tensor,
        mask: Mask = None,
        *,
        bias: tf.Tensor | None = None,
        causal: bool = True,
        absorbed: bool = False,
        need_weights: bool = True,
        head_mask: tf.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """Attend from every position to all so far.

        Shapes:
            x (B, T, model_dim); mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...,
            True = may attend; bias and head_mask as in ``AttentionLayer``; cache: of
            ``new_cache``, S counts what it holds
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        how = {"bias": bias, "causal": causal, "need_weights": need_weights}
        how |= {"head_mask": head_mask, "cache": cache, "absorbed": absorbed}
        return self.walk(x, x, x, mask, **how)

    def project(self, query, key, value):
        """Queries (B, H, T, K + P), and what is kept of each word, (B, 1, T, R + P).

        Of values nothing more is kept: they are a part of the keys.
        """
        x = query
        if self.sizes.query_latent_dim is None:
            query = self.query_dense(x)
        else:
            query = self.query_up(self.query_latent(x))
        small, R = self.latent(x), self.sizes.latent_dim
        parts = self.latent_norm(small[..., :R]), small[..., R:]
        entry = tf.concat(parts, axis=-1)[:, None]
        return split(query, self.num_heads), entry, entry[..., :0]

    def query_latent(self, x):
        """The latent that the queries of all heads are made of: (B, T, Q)."""
        return self.query_norm(self.query_down(x))

    def prepare(self, query, key, **position):
        """Positions: the last rope_dim columns of both are turned."""
        K, R = self.sizes.key_dim, self.sizes.latent_dim
        ends = query[..., K:], key[..., R:]
        turn = self.turn if self.rotary is None else self.rotary
        query_end, key_end = turn(*ends, **position)
        query = tf.concat([query[..., :K], query_end], axis=-1)
        return query, tf.concat([key[..., :R], key_end], axis=-1)

    def turn(self, *ends, first_position=0):
        """The usual rotation, of the position's own angle."""
        positions = tf.range(tf.shape(ends[0])[2]) + first_position
        how = ends[0].shape[-1], ends[0].dtype
        found = waves(positions, *how, base=self.sizes.base)
        return (turned(x, found, "interleaved") for x in ends)

    def attend(self, query, key, value, mask, *, absorbed, **options):
        """The naive form: keys and values of all heads are built from the latents."""
        if absorbed:
            return self.attend_absorbed(query, key, mask, **options)
        sizes = self.sizes
        H, R, K, V = sizes.num_heads, sizes.latent_dim, sizes.key_dim, sizes.value_dim
        built = split(self.key_value(key[:, 0, :, :R]), H)
        ends = tf.repeat(key[..., R:], H, axis=1)
        key, value = tf.split(built, [K, V], axis=-1)
        key = tf.concat([key, ends], axis=-1)
        return dot_product(query, key, value, mask, **options)

    def attend_absorbed(self, query, key, mask, **options):
        """The latents are keys and values: one head of them for all queries."""
        sizes = self.sizes
        H, R, K, V = sizes.num_heads, sizes.latent_dim, sizes.key_dim, sizes.value_dim
        up_RHX = tf.reshape(matrix_of(self.key_value, R, query), (R, H, K + V))
        into_latent = tf.einsum("bhtk,rhk->bhtr", query[..., :K], up_RHX[..., :K])
        query = tf.concat([into_latent, query[..., K:]], axis=-1)
        options["scale"] = sizes.score_scale
        inputs = query, key, key[..., :R], mask
        context, weights = in_groups_causally(*inputs, **options)
        return tf.einsum("bhtr,rhv->bhtv", context, up_RHX[..., K:]), weights

    def position(self, cache, mask):
        """Where the first new position stands."""
        return {"first_position": cache.next_position(mask)}

    def check(self, query: Any, key: Any, value: Any, head_mask: Any) -> None:
        """Raise ValueError unless the input fits the layer."""
        check_words(query, self.sizes.model_dim)
        if head_mask is not None:
            check_head_share(head_mask, query.shape[0], self.num_heads)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(
        self, x_shape: tuple, **shapes: Any
    ) -> tuple[tuple, tuple]:
        B, T, _ = x_shape
        return tuple(x_shape), (B, self.num_heads, T, T)

    @classmethod
    def from_huggingface(cls, module: Any) -> "LatentAttention":
        """A layer with the weights of Hugging Face's ``DeepseekV3Attention``.

        Raises:
            ValueError: it has what ours has not: biases, or another rotary encoding.
        """
        options, turn, parameters = cls.read(module)
        dtype = {"dtype": dtype_name(module.o_proj.weight)}
        layer = cls(**options, rotary=RotaryEncoding(**turn, **dtype), **dtype)
        set_parameters(layer, parameters)
        return layer
