"""Additive attention and its decoder in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import (
    Layer,
    Pair,
    Tensor,
    add_padding,
    dense,
    over_merged_axes,
)
from attn_course.core.masks.tf import Mask
from attn_course.core.precision.tf import wide
from attn_course.mechanisms.bahdanau.shared import check_additive
from attn_course.mechanisms.dot_product.tf import allowed_softmax as softmax
from attn_course.mechanisms.recurrent.shared import as_rows, check_memory, whole_sizes
from attn_course.mechanisms.recurrent.tf import ContextDecoder

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
    return over_merged_axes(hidden, score_weight)


def in_wide(formula, *inputs, **options):
    """A formula computed in float32 or more, and rounded once to the first's dtype."""
    dtype = inputs[0].dtype
    given = (x if x is None else tf.cast(x, wide(dtype)) for x in inputs)
    return tuple(tf.cast(x, dtype) for x in formula(*given, **options))


def additive_attention(
    query: Tensor, memory: Tensor, parameters: dict[str, Tensor], mask: Mask = None
) -> Pair:
    """``attention`` of checked arguments: ``reference.additive_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_additive(query, memory, parameters, mask)
    queries = query @ parameters["query_weight"]
    keys = memory @ parameters["memory_weight"]
    inputs = queries, keys, memory, parameters["score_weight"]
    return in_wide(attention, *inputs, mask=as_rows(mask))


class MemoryAttention(Layer):
    """What attentions over one memory share; they differ in ``attend``.

    width: of the projected query, None where it stays as it is. Additive scores have a
    map of the memory and a vector too. The padding that Keras carries on the memory is
    blocked, together with what the mask blocks.
    """

    parity_joint = "_"  # query.kernel is called query_weight in ``attn_course.parity``

    def __init__(self, config, width, additive, **options):
        super().__init__(**options)
        self.config, self.query_dense, self.memory_dense = config, None, None
        self.score_weight = None
        if width is not None:
            self.query_dense = dense(self, "query", config["query_dim"], width, False)
        if additive:
            self.memory_dense = dense(
                self, "memory", config["memory_dim"], width, False
            )
            self.score_weight = weight_vector(self, "score_weight", width)
        self.built = True

    def __call__(self, query, memory, mask=None, **options):
        # By position: Keras would take a mask by name for that of the query.
        return super().__call__(query, memory, mask, **options)

    def call(self, query: Tensor, memory: Tensor, mask: Mask = None) -> Pair:
        """Attend from every query to the memory.

        Shapes:
            query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
            -> context (B, T, memory_dim), weights (B, T, S).

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        mask = self.check(query, memory, mask)
        return self.attend(query, memory, self.prepare(memory), mask)

    def prepare(self, memory):
        """The keys, which no query changes: decoders compute them once per sentence."""
        return memory if self.memory_dense is None else self.memory_dense(memory)

    def check(self, query, memory, mask):
        """Raise ValueError unless the inputs fit the layer; returns the mask."""
        known = {"D": self.config["query_dim"], "E": self.config["memory_dim"]}
        check_memory(query, memory, mask, known=known)
        return add_padding(mask, memory)

    def compute_mask(self, query, previous_mask=None):
        return previous_mask, None

    def compute_output_shape(self, query_shape, memory_shape, **shapes):
        lead = tuple(query_shape[:2])
        return (*lead, memory_shape[2]), (*lead, memory_shape[1])


def weight_vector(layer: Layer, name: str, size: int) -> Any:
    """A vector of parameters, drawn with a variance of 1 / size."""
    start = keras.initializers.RandomNormal(stddev=size**-0.5)
    return layer.add_weight((size,), start, name=name)


@keras.saving.register_keras_serializable("attn_course")
class AdditiveAttention(MemoryAttention):
    """Additive attention: ``attn_course.reference.additive_attention``.

    options: name and dtype.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self, query_dim: int, memory_dim: int, hidden_dim: int, **options: Any
    ) -> None:
        sizes = {"query_dim": query_dim, "memory_dim": memory_dim}
        config = whole_sizes(**sizes, hidden_dim=hidden_dim)
        super().__init__(config, hidden_dim, True, **options)

    def attend(self, query, memory, keys, mask):
        """``attention`` of checked arguments."""
        inputs = self.query_dense(query), keys, memory, self.score_weight
        return in_wide(attention, *inputs, mask=as_rows(mask))


@keras.saving.register_keras_serializable("attn_course")
class BahdanauDecoder(ContextDecoder):
    """Attends to the memory before every step: ``reference.bahdanau_decoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    start_share = 2

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
        sizes = vocab_size, embedding_dim, hidden_dim
        super().__init__(*sizes, memory_dim=memory_dim, **options)
        self.config |= whole_sizes(attention_dim=attention_dim)
        widths = hidden_dim, memory_dim, attention_dim
        self.attention = AdditiveAttention(*widths, dtype=self.dtype_policy)

    def start(self, last_state):
        """The first state, from the backward GRU's last alone (A.2.2)."""
        return super().start(last_state[:, last_state.shape[-1] // 2 :])

    def prepare(self, memory, mask=None):
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def attend(self, state, memory, prepared, mask):
        """Attend from the previous state, s[i-1]: context (B, E), weights (B, S)."""
        found = self.attention.attend(state[:, None], memory, prepared, mask)
        return tuple(x[:, 0] for x in found)
