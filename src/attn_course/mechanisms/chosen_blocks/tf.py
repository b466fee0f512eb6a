"""Chosen blocks in TensorFlow: the formula, then what is called."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.tf import chunks, widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer
from attn_course.core.masks.tf import Mask
from attn_course.mechanisms.chosen_blocks.shared import BlockSizes, check_blocks
from attn_course.mechanisms.dot_product.tf import block_future, dot_product
from attn_course.mechanisms.indexed.tf import highest

__all__ = ["ChosenBlocksAttention", "chosen_blocks_attention"]


def keys_of_blocks(query, key, seen, block_size, top_k):
    """The formula: which keys stand in chosen blocks, (..., T, S); seen (..., S, 1)."""
    T, S, turned = tf.shape(query)[-2], tf.shape(key)[-2], tf.linalg.matrix_transpose
    count = tf.reduce_sum(chunks(tf.cast(seen, key.dtype), block_size), axis=-2)
    shown = tf.where(seen, key, tf.zeros((), key.dtype))
    sums = tf.reduce_sum(chunks(shown, block_size), axis=-2)
    means = sums / tf.maximum(count, tf.ones((), key.dtype))
    score = tf.matmul(query, means, transpose_b=True)
    block = tf.range(tf.shape(score)[-1])
    own = (tf.range(S - T, S) // block_size)[:, None]
    score = tf.where(block == own, tf.constant(float("inf"), score.dtype), score)
    chosen = highest(score, top_k, (block <= own) & turned(count > 0))
    return tf.gather(chosen, tf.range(S) // block_size, axis=-1)


def chosen_blocks_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    block_size: int,
    top_k: int,
    scale: float | None = None,
    need_weights: bool = True,
    softmax: Callable | None = None,
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """See ``attn_course.reference.chosen_blocks_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_blocks((query, key, value), mask, block_size, top_k)
    every = tf.ones((tf.shape(key)[-2], 1), tf.bool)
    seen = every if mask is None else tf.linalg.matrix_transpose(mask)
    chosen = keys_of_blocks(*widen(query, key), seen, block_size, top_k)
    mask = block_future(chosen if mask is None else chosen & mask, query, key)
    options = {"scale": scale, "need_weights": need_weights, "softmax": softmax}
    return dot_product(query, key, value, mask, **options)


@keras.saving.register_keras_serializable("attn_course")
class ChosenBlocksAttention(AttentionLayer):
    """Layer of ``chosen_blocks_attention``: causal; no bias of scores, no dropout.

    Raises:
        ValueError: block_size or top_k is no whole number of at least 1, or as every
            ``AttentionLayer`` does.
    """

    Sizes = BlockSizes
    can_drop = mask_rows = False
    own_softmax = own_scale = reads_positions = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        block_size: int,
        top_k: int,
        **options: Any,
    ) -> None:
        own = {"block_size": block_size, "top_k": top_k}
        super().__init__(model_dim, num_heads, own=own, **options)

    def attend(self, query, key, value, mask, *, bias, causal, dropout, **options):
        check_supported("ChosenBlocksAttention", bias=bias, dropout=dropout)
        sizes = {"block_size": self.sizes.block_size, "top_k": self.sizes.top_k}
        return chosen_blocks_attention(query, key, value, mask, **sizes, **options)
