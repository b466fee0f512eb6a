"""Additive attention and its decoder in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.bahdanau.shared import check_additive
from attn_course.dot_product.tf import softmax, wide
from attn_course.frameworks import keras, tf
from attn_course.layers.tf import Layer, Mask, dense
from attn_course.recurrent.shared import (
    as_rows,
    check_memory,
    decoder_sizes,
    whole_sizes,
)
from attn_course.recurrent.tf import ContextDecoder, add_padding

__all__ = ["AdditiveAttention", "BahdanauDecoder", "additive_attention"]


def attention(queries, keys, memory, score_weight, mask=None):
    """The formula, equations 5 and 6 of the paper: softmax(v . tanh(W s + U h)) h.

    queries is W s, (B, T, A); keys is U h, (B, S, A).
    """
    score = additive_score(queries, keys, score_weight)
    weights = softmax(score, mask)
    return weights @ memory, weights


def additive_score(queries, keys, score_weight):
    """v . tanh(W s + U h) of every query and key: (B, T, S)."""
    hidden = tf.tanh(queries[:, :, None] + keys[:, None])
    return tf.linalg.matvec(hidden, score_weight)


def in_wide(formula: Callable, *inputs: Any, **options: Any) -> Any:
    """A formula computed in float32 or more, and rounded once to the first's dtype."""
    dtype = inputs[0].dtype
    given = (x if x is None else tf.cast(x, wide(dtype)) for x in inputs)
    found = formula(*given, **options)
    if isinstance(found, tuple):
        return tuple(tf.cast(x, dtype) for x in found)
    return tf.cast(found, dtype)


def additive_attention(
    query: tf.Tensor,
    memory: tf.Tensor,
    parameters: dict[str, tf.Tensor],
    mask: Mask = None,
    *,
    keys: tf.Tensor | None = None,
) -> tuple[tf.Tensor, tf.Tensor]:
    """``attention`` of checked arguments: ``reference.additive_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_additive(query, memory, parameters, mask)
    queries = query @ parameters["query_weight"]
    keys = memory @ parameters["memory_weight"] if keys is None else keys
    inputs = queries, keys, memory, parameters["score_weight"]
    return in_wide(attention, *inputs, mask=as_rows(mask))


class MemoryAttention(Layer):
    """What attentions over one memory share: the maps of query and memory, or None."""

    parity_joint = "_"  # query.kernel is called query_weight in ``attn_course.parity``

    def __call__(
        self, query: Any, memory: Any, mask: Any = None, **options: Any
    ) -> Any:
        # By position: Keras would take a mask by name for that of the query.
        return super().__call__(query, memory, mask, **options)

    def prepare(self, memory: tf.Tensor) -> tf.Tensor:
        """The keys, which no query changes: a decoder computes them once a sentence."""
        return memory if self.memory_dense is None else self.memory_dense(memory)

    def project(self, query, memory, mask, keys):
        """Check all; queries, keys unless they are given, and the mask as rows."""
        known = {"D": self.config["query_dim"], "E": self.config["memory_dim"]}
        check_memory(query, memory, mask, known=known)
        queries = query if self.query_dense is None else self.query_dense(query)
        keys = self.prepare(memory) if keys is None else keys
        return queries, keys, as_rows(add_padding(mask, memory))

    def compute_mask(self, query: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(
        self, query_shape: tuple, memory_shape: tuple, **shapes: Any
    ) -> tuple[tuple, tuple]:
        lead = tuple(query_shape[:2])
        return (*lead, memory_shape[2]), (*lead, memory_shape[1])


def vector(layer: Layer, name: str, size: int) -> Any:
    """A vector of parameters, drawn with a variance of 1 / size."""
    start = keras.initializers.RandomNormal(stddev=size**-0.5)
    return layer.add_weight((size,), start, name=name)


@keras.saving.register_keras_serializable("attn_course")
class AdditiveAttention(MemoryAttention):
    """Additive attention: ``attn_course.reference.additive_attention``.

    The padding that Keras carries on the memory is blocked, together with what the mask
    blocks.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self, query_dim: int, memory_dim: int, hidden_dim: int, **options: Any
    ) -> None:
        super().__init__(**options)
        sizes = {"query_dim": query_dim, "memory_dim": memory_dim}
        self.config = whole_sizes(**sizes, hidden_dim=hidden_dim)
        self.score_weight = vector(self, "score_weight", hidden_dim)
        no_bias = {"use_bias": False}
        self.query_dense = dense(self, "query", query_dim, hidden_dim, **no_bias)
        self.memory_dense = dense(self, "memory", memory_dim, hidden_dim, **no_bias)
        self.built = True

    def call(
        self,
        query: tf.Tensor,
        memory: tf.Tensor,
        mask: Mask = None,
        *,
        keys: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Attend from every query to the memory; keys are what ``prepare`` gave.

        Shapes:
            query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
            -> context (B, T, memory_dim), weights (B, T, S).

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        queries, keys, mask = self.project(query, memory, mask, keys)
        return in_wide(attention, queries, keys, memory, self.score_weight, mask=mask)


@keras.saving.register_keras_serializable("attn_course")
class BahdanauDecoder(ContextDecoder):
    """Attends to the memory before every step: ``reference.bahdanau_decoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        memory_dim: int,
        attention_dim: int,
        **options: Any,
    ) -> None:
        sizes = {"memory_dim": memory_dim, "attention_dim": attention_dim}
        sizes = decoder_sizes(vocab_size, embedding_dim, hidden_dim, **sizes)
        super().__init__(sizes, start_dim=memory_dim // 2, **options)
        widths = hidden_dim, memory_dim, attention_dim
        self.attention = AdditiveAttention(*widths, dtype=self.dtype_policy)

    def start(self, last_state: tf.Tensor) -> tf.Tensor:
        """The first state, from the right reader's last alone (appendix A.2.2)."""
        return super().start(last_state[:, last_state.shape[-1] // 2 :])

    def prepare(self, memory: tf.Tensor, mask: Mask = None) -> tf.Tensor:
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def attend(self, state, memory, prepared, mask):
        """Attend from the previous state, s[i-1]: context (B, E), weights (B, S)."""
        context, weights = self.attention(state[:, None], memory, mask, keys=prepared)
        return context[:, 0], weights[:, 0]
