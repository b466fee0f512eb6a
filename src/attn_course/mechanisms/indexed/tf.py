"""Indexed attention in TensorFlow: the formula, then the layer."""

from typing import Any

from attn_course.core.chunked.tf import widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import dense, split
from attn_course.core.masks.tf import Mask
from attn_course.mechanisms.dot_product.tf import allowed_keys
from attn_course.mechanisms.indexed.shared import (
    IndexedSizes,
    check_index,
    check_index_loss,
    check_top,
    read_indexed,
)
from attn_course.mechanisms.latent.tf import LatentAttention

__all__ = ["IndexedAttention", "index_loss", "index_scores", "top_keys"]


def scores_of(query, key, weight):
    """The formula: weighted ReLUs of the small heads, summed."""
    heads, width = query.shape[-3], query.shape[-1]
    heard = tf.nn.relu(tf.matmul(query, key[..., None, :, :], transpose_b=True))
    return tf.einsum("...its,...ti->...ts", heard, weight) / (width * heads) ** 0.5


def highest(score, k, seen):
    """The formula: above the k-th score all, and of those equal to it the first."""
    k = tf.minimum(k, tf.shape(score)[-1])
    score = tf.where(seen, score, tf.constant(-float("inf"), score.dtype))
    least = tf.math.top_k(score, k).values[..., -1:]
    above, equal = score > least, score == least
    room = k - tf.reduce_sum(tf.cast(above, tf.int32), axis=-1, keepdims=True)
    first = tf.cumsum(tf.cast(equal, tf.int32), axis=-1) <= room
    return (above | equal & first) & seen


def index_scores(query: tf.Tensor, key: tf.Tensor, weight: tf.Tensor) -> tf.Tensor:
    """See ``attn_course.reference.index_scores``. In float32 or more, and returned so.

    Raises:
        ValueError: a shape or dtype is not as the reference says.
    """
    check_index(query, key, weight)
    return scores_of(*widen(query, key, weight))


def top_keys(
    score: tf.Tensor, k: int, mask: Mask = None, *, causal: bool = False
) -> tf.Tensor:
    """See ``attn_course.reference.top_keys``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_top(score, k, mask)
    return highest(score, k, seen_keys(score, mask, causal))


def seen_keys(score, mask, causal):
    """What mask and causal allow, and no score of minus infinity."""
    column = tf.linalg.matrix_transpose(score[..., :1, :])  # as many as there are keys
    return allowed_keys(score, column, mask, bias=score, causal=causal)


def index_loss(
    score: tf.Tensor, weights: tf.Tensor, mask: Mask = None, *, causal: bool = False
) -> tf.Tensor:
    """See ``attn_course.reference.index_loss``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_index_loss(score, weights, mask)
    score, weights = widen(score, tf.stop_gradient(weights))
    seen = seen_keys(score, mask, causal)
    target = tf.reduce_sum(tf.cast(weights, score.dtype), axis=-3)
    target = tf.where(seen, target, tf.zeros((), score.dtype))
    total = tf.reduce_sum(target, axis=-1, keepdims=True)
    target = tf.math.divide_no_nan(target, total)
    score = tf.where(seen, score, score.dtype.min)
    found = tf.nn.log_softmax(score, axis=-1)
    apart = tf.math.xlogy(target, target) - target * found
    return tf.reduce_mean(tf.reduce_sum(apart, axis=-1))


def gathered(entry, chosen, k):
    """The chosen entries (B, 1, k, X), and (B, 1, 1, k), False behind the last one."""
    k = tf.minimum(k, tf.shape(chosen)[-1])
    kept, places = tf.math.top_k(tf.cast(chosen, entry.dtype), k)
    return tf.gather(entry, places[:, :, 0], axis=2, batch_dims=2), kept > 0


@keras.saving.register_keras_serializable("attn_course")
class IndexedAttention(LatentAttention):
    """Latent attention over chosen keys: ``attn_course.reference.indexed_attention``.

    index_heads small heads of width index_dim choose top_k keys for each query; all
    else is as in ``LatentAttention``. The loss of the output gives the indexer no
    gradient: train it by ``index_loss(layer.index(x), weights)``.

    Raises:
        ValueError: a size is no whole number of at least 1, query_latent_dim is None,
            index_dim is below rope_dim, or as ``LatentAttention`` does.
    """

    Sizes = IndexedSizes
    read = staticmethod(read_indexed)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        query_latent_dim: int,
        index_heads: int,
        index_dim: int,
        top_k: int,
        **options: Any,
    ) -> None:
        own = {"index_heads": index_heads, "index_dim": index_dim, "top_k": top_k}
        options |= {"query_latent_dim": query_latent_dim, "own": own}
        super().__init__(model_dim, num_heads, **options)

    def make_maps(self) -> None:
        """The linear maps and norms, by the sizes."""
        super().make_maps()
        sizes, norm = self.sizes, keras.layers.LayerNormalization
        D, heads, width = sizes.model_dim, sizes.index_heads, sizes.index_dim
        queries, Q = heads * width, sizes.query_latent_dim
        self.index_query = dense(self, "index_query", Q, queries, False)
        self.index_key = dense(self, "index_key", D, width, False)
        self.index_norm = self.norm("index_norm", width, norm)
        self.index_head = dense(self, "index_head", D, heads, False)

    def index(self, x: tf.Tensor) -> tf.Tensor:
        """The indexer's score of every key for every query: (B, T, D) -> (B, T, T).

        Its gradient reaches the indexer alone.

        Raises:
            ValueError: x is not as above.
        """
        self.check(x, x, x, None)
        x = tf.stop_gradient(x)
        query, weight = self.asks(x)
        key = self.turned(self.index_keys(x))[:, 0]
        return scores_of(*widen(query, key, weight))

    def asks(self, x, **position):
        """The small heads' queries (B, I, T, J) and their weights (B, T, I)."""
        latent = tf.stop_gradient(self.query_latent(x))
        query = split(self.index_query(latent), self.sizes.index_heads)
        return self.turned(query, **position), self.index_head(x)

    def index_keys(self, x):
        """One small key a position, (B, 1, T, J), not yet turned."""
        return self.index_norm(self.index_key(x))[:, None]

    def turned(self, x, **position):
        """The last rope_dim columns turned, as those of the large heads are."""
        start = x.shape[-1] - self.sizes.rope_dim
        turn = self.turn if self.rotary is None else self.rotary
        end, _ = turn(x[..., start:], x[:, :1, :, start:], **position)
        return tf.concat([x[..., :start], end], axis=-1)

    def walk(self, query, key, value, mask, *, head_mask, cache, **how):
        """All steps of ``LatentAttention``; before them, what the small heads ask."""
        self.check(query, key, value, head_mask)
        position = {} if cache is None else self.position(cache, mask)
        how |= {"head_mask": head_mask, "cache": cache}
        how["asks"] = self.asks(query, **position)
        return super().walk(query, key, value, mask, **how)

    def project(self, query, key, value):
        """Behind what is kept of each word, its small key."""
        query, entry, nothing = super().project(query, key, value)
        small = tf.cast(self.index_keys(key), entry.dtype)
        return query, tf.concat([entry, small], axis=-1), nothing

    def prepare(self, query, key, **position):
        """Positions, of the small keys too."""
        entry, small = self.parts(key)
        query, entry = super().prepare(query, entry, **position)
        return query, tf.concat([entry, self.turned(small, **position)], axis=-1)

    def parts(self, key):
        """What latent attention keeps of each word, and the small keys."""
        width = self.sizes.index_dim
        return key[..., :-width], key[..., -width:]

    def attend(self, query, key, value, mask, *, asks, causal, **options):
        """Choose, then attend to what was chosen."""
        (small_query, weight), (entry, small) = asks, self.parts(key)
        score = scores_of(*widen(small_query, small[:, 0], weight))
        seen = mask
        if mask is not None and len(mask.shape) > 2:
            seen = tf.reduce_any(mask, axis=1)
        seen = seen_keys(score, seen, causal)
        chosen = highest(score, self.sizes.top_k, seen)[:, None]
        mask = chosen if mask is None else mask & chosen
        plain = options["bias"] is None and not options["need_weights"]
        if plain and query.shape[2] == mask.shape[1] == 1:
            entry, mask = gathered(entry, mask, self.sizes.top_k)
        return super().attend(query, entry, value, mask, causal=False, **options)
