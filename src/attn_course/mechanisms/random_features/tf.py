"""Attention over random features in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.chunked.tf import (
    check_gates,
    hide,
    is_first,
    log_of,
    sum_up,
    widen,
)
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer, dense, over_merged_axes
from attn_course.core.shapes import check_at_least, check_choice, check_shapes
from attn_course.mechanisms.linear.tf import open_gate
from attn_course.mechanisms.random_features.shared import (
    Features,
    GatedRandomSizes,
    PerformerSizes,
    check_random,
    fourier_projection,
    gaussian_projection,
    orthogonal_projection,
    rows_of,
    softmax_projection,
)

__all__ = [
    "PerformerAttention",
    "RandomFeatureAttention",
    "gaussian_projection",
    "orthogonal_projection",
    "performer_attention",
    "random_feature_attention",
    "softmax_features",
]

LOWEST = -1e30  # of a blocked key: far below every exponent, and finite
APART = 1e4  # above the exponents of one document stand those of the next


def softmax_features(
    x: tf.Tensor, projection: tf.Tensor, *, features: Features = "positive"
) -> tf.Tensor:
    """See ``attn_course.reference.softmax_features``.

    As they are: long vectors overflow. ``performer_attention`` shifts the exponents.
    """
    check_choice("features", features, ("positive", "trigonometric"))
    check_shapes(x=(x, "...TK"), projection=(projection, "FK"))
    parts = feature_parts(*widen(x), projection, features)
    return tf.cast(projection.shape[0] ** -0.5 * raised(*parts), x.dtype)


def feature_parts(x, projection, features):
    """The features as exp(product + level) or exp(level) * waves; no root of F yet.

    As product, level (one number per position) and waves, which may be None.
    """
    rows = x.shape[-1] ** -0.25 * tf.cast(projection, x.dtype)
    product = over_merged_axes(x, tf.transpose(rows))
    half = tf.reduce_sum(x**2, axis=-1, keepdims=True) * (x.shape[-1] ** -0.5 / 2)
    if features == "positive":
        return product, -half, None
    return None, half, tf.concat([tf.cos(product), tf.sin(product)], axis=-1)


def raised(product, level, waves):
    """The features of ``feature_parts``."""
    return tf.exp(product + level) if waves is None else tf.exp(level) * waves


def highest(product, level, waves):
    """The largest exponent at each position, (..., T, 1), without a gradient."""
    found = tf.stop_gradient(level)
    if product is None:
        return found
    return found + tf.reduce_max(tf.stop_gradient(product), axis=-1, keepdims=True)


def performer_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Any = None,
    *,
    projection: tf.Tensor | None = None,
    num_features: int = 256,
    seed: int = 0,
    features: Features = "positive",
    causal: bool = False,
    chunk_size: int = 128,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.performer_attention``.

    The exponents are shifted, which cancels in the weights: a query's by its largest,
    the keys' by the largest of all; causal by what came so far, and never by a key to
    come, which could push the past below what a number can hold.
    """
    check_at_least(1, chunk_size=chunk_size)
    check_random(query, key, value, mask, projection, numbers=causal)
    if projection is None:
        drawn = query.shape[-1], num_features, features, seed
        projection = softmax_projection(*drawn)
    dtype, log_decay = value.dtype, None
    query, key, value = widen(query, key, value)
    product, level, waves = feature_parts(query, projection, features)
    top = highest(product, level, waves)
    query = raised(product, level - top, waves)
    if mask is not None:
        numbers = tf.linalg.matrix_transpose(mask)
        seen = tf.cast(numbers, "bool")
        key = tf.where(seen, key, tf.zeros((), key.dtype))
    product, level, waves = feature_parts(key, projection, features)
    if mask is not None:
        level = tf.where(seen, level, tf.constant(LOWEST, level.dtype))
    top = highest(product, level, waves)
    if causal:
        first = tf.zeros_like(top) if mask is None else is_first(numbers)
        lift = APART * tf.cumsum(tf.cast(first, top.dtype), axis=-2)
        shift = tf.math.cumulative_logsumexp(top + lift, axis=-2) - lift
        before = tf.concat([shift[..., :1, :], shift[..., :-1, :]], axis=-2)
        log_decay = (before - shift)[..., 0]
    else:
        shift = tf.reduce_max(top, axis=-2, keepdims=True)
    key = raised(product, level - shift, waves)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
    sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    return tf.cast(divide(sums, total), dtype), None


def divide(sums, total):
    """The average; zeros for a query that saw nothing."""
    return sums / tf.where(total == 0, tf.ones((), total.dtype), total)


def random_feature_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Any = None,
    *,
    projection: tf.Tensor | None = None,
    num_features: int = 256,
    seed: int = 0,
    gate: tf.Tensor | None = None,
    causal: bool = False,
    chunk_size: int = 128,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.random_feature_attention``."""
    check_at_least(1, chunk_size=chunk_size)
    check_random(query, key, value, mask, projection, numbers=causal, gate=gate)
    check_gates(gate=gate)
    if gate is not None and not causal:
        raise ValueError("gate must be None where causal is False")
    if projection is None:
        projection = fourier_projection(query.shape[-1], num_features, seed)
    dtype, log_decay = value.dtype, None
    query, key, value = widen(query, key, value)
    query, key = (waves_of(x, projection) for x in (query, key))
    if gate is not None:
        key = key * (1 - tf.cast(gate, key.dtype))[..., None]
        log_decay = log_of(gate, key)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
    sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    return tf.cast(divide(sums, total), dtype), None


def waves_of(x, projection):
    """Cosines and sines of a unit vector's products; sqrt(F) would cancel."""
    square = tf.reduce_sum(x**2, axis=-1, keepdims=True)
    unit = x * tf.math.rsqrt(tf.maximum(square, tf.constant(1e-12, x.dtype)))
    product = over_merged_axes(unit, tf.transpose(tf.cast(projection, x.dtype)))
    return tf.concat([tf.cos(product), tf.sin(product)], axis=-1)


class RandomFeatureLayer(AttentionLayer):
    """What attentions over random features share: a projection that is kept."""

    features = "trigonometric"
    can_drop = False
    mask_rows = None

    def __init__(self, model_dim: int, num_heads: int, **options: Any) -> None:
        super().__init__(model_dim, num_heads, **options)
        rows = rows_of(self.sizes.num_features, self.features)
        shape = rows, self.sizes.key_dim
        options = {"shape": shape, "trainable": False, "initializer": "zeros"}
        self.projection = self.add_weight(name="projection", **options)
        self.redraw(self.sizes.seed)

    def redraw(self, seed: int) -> None:
        """Draw another projection: other errors, the same on average."""
        self.projection.assign(self.draw(seed))

    def draw(self, seed):
        raise NotImplementedError


@keras.saving.register_keras_serializable("attn_course")
class PerformerAttention(RandomFeatureLayer):
    """Attention over heads by random features (FAVOR+): ``performer_attention``.

    ``projection`` is drawn with the seed and kept, not trained; ``redraw`` draws
    another. The weights are never formed (they are None). The mask is padding. No bias,
    no dropout.

    Raises:
        ValueError: a size is no whole number of at least 1, or features is unknown.
    """

    Sizes = PerformerSizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_features: int = 256,
        seed: int = 0,
        features: Features = "positive",
        **options: Any,
    ) -> None:
        own = {"num_features": num_features, "seed": seed, "features": features}
        super().__init__(model_dim, num_heads, own=own, **options)

    @property
    def features(self) -> str:
        return self.sizes.features

    def draw(self, seed):
        sizes = self.sizes.key_dim, self.sizes.num_features
        return softmax_projection(*sizes, self.features, seed)

    def attend(self, query, key, value, mask, *, bias, causal, need_weights, dropout):
        check_supported("PerformerAttention", bias=bias, dropout=dropout)
        options = {"projection": self.projection, "features": self.features}
        return performer_attention(query, key, value, mask, causal=causal, **options)


@keras.saving.register_keras_serializable("attn_course")
class RandomFeatureAttention(RandomFeatureLayer):
    """Attention over heads by cosines and sines: ``random_feature_attention``.

    ``projection`` is drawn with the seed and kept, not trained; ``redraw`` draws
    another. With ``gate=True`` the sigmoid of a linear map of the key's input is the
    gate, and it must be called with ``causal=True``. The weights are never formed (they
    are None). The mask is padding. No bias of scores, no dropout.

    Raises:
        ValueError: a size is no whole number of at least 1, or num_features is odd.
    """

    Sizes = GatedRandomSizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_features: int = 256,
        seed: int = 0,
        gate: bool = False,
        **options: Any,
    ) -> None:
        own = {"num_features": num_features, "seed": seed, "gate": gate}
        super().__init__(model_dim, num_heads, own=own, **options)
        self.gate_dense = None
        if gate:
            inputs = self.sizes.memory_dim[0]
            self.gate_dense = dense(self, "gate", inputs, num_heads, True)

    def draw(self, seed):
        sizes = self.sizes.key_dim, self.sizes.num_features
        return fourier_projection(*sizes, seed)

    def gates(self, memory: tf.Tensor) -> dict[str, tf.Tensor]:
        """The gate of every key, (B, H, S), where there is one."""
        if self.gate_dense is None:
            return {}
        return {"gate": open_gate(self.gate_dense(memory))}

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("RandomFeatureAttention", bias=bias, dropout=dropout)
        options = {"projection": self.projection, "causal": causal, **gates}
        return random_feature_attention(query, key, value, mask, **options)
