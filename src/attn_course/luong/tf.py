"""Luong's global and local attention, and their decoder, in TensorFlow.

Formulas: ``reference.py``.
"""

from functools import partial
from typing import Any

from attn_course.bahdanau.tf import MemoryAttention, additive_score, in_wide, vector
from attn_course.dot_product.tf import softmax, wide
from attn_course.frameworks import keras, tf
from attn_course.layers.tf import Mask, dense
from attn_course.luong.shared import (
    OF_QUERY,
    LuongState,
    attention_config,
    check_local,
    check_longest,
    check_score_inputs,
    query_width,
)
from attn_course.recurrent.shared import check_decoder, decoder_sizes
from attn_course.recurrent.tf import RecurrentDecoder
from attn_course.shapes import check_positive

__all__ = [
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "local_window",
    "luong_score",
]


def attention(queries, keys, memory, score_weight, mask=None, window=None, *, score):
    """The formula of global attention, and of local attention with a window."""
    weights = softmax(pair_scores(queries, keys, score_weight, score=score), mask)
    weights = weights if window is None else weights * window
    return weights @ memory, weights


def pair_scores(queries, keys, score_weight=None, *, score):
    """The four scores, of query and memory after their projections: (B, T, S).

    queries is h, h W (general, location) or h W_1 (concat); keys is m or m W_2.
    """
    if score == "location":  # wherever the query points, whatever stands there
        return queries[..., : tf.shape(keys)[1]]
    if score == "concat":
        return additive_score(queries, keys, score_weight)
    return tf.matmul(queries, keys, transpose_b=True)


def luong_score(
    query: tf.Tensor,
    memory: tf.Tensor,
    parameters: dict[str, tf.Tensor],
    *,
    score: str,
    keys: tf.Tensor | None = None,
) -> tf.Tensor:
    """``pair_scores`` of checked arguments: ``attn_course.reference.luong_score``."""
    check_score_inputs(query, memory, parameters, score)
    queries = query if score == "dot" else query @ parameters[OF_QUERY[score]]
    if keys is None:
        keys = memory @ parameters["memory_weight"] if score == "concat" else memory
    inputs = queries, keys, parameters.get("score_weight")
    return in_wide(pair_scores, *inputs, score=score)


def local_window(
    center: tf.Tensor, size: int, *, half_width: float, gaussian: bool
) -> tf.Tensor:
    """See ``attn_course.reference.local_window``.

    In float32 or more: bfloat16 holds no odd position beyond 256.
    """
    check_positive(half_width=half_width)
    center = tf.cast(center, wide(center.dtype))
    distance = tf.cast(tf.range(size), center.dtype) - center[..., None]
    inside = tf.abs(distance) <= half_width
    sigma = half_width / 2
    height = tf.exp(-(distance**2) / (2 * sigma**2)) if gaussian else 1.0
    return tf.where(inside, height, tf.zeros((), center.dtype))


@keras.saving.register_keras_serializable("attn_course")
class LuongAttention(MemoryAttention):
    """Global attention: ``attn_course.reference.luong_attention``.

    Raises:
        ValueError: a size or the score is not as
        ``attn_course.luong.shared.attention_config`` says.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        *,
        score: str = "dot",
        hidden_dim: int | None = None,
        max_length: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        sizes = query_dim, memory_dim, score, hidden_dim, max_length
        self.config = attention_config(*sizes)
        self.query_dense = self.memory_dense = self.score_weight = None
        if score != "dot":
            width = query_width(self.config)
            self.query_dense = dense(self, "query", query_dim, width, use_bias=False)
            self.parity_leads = {"query": OF_QUERY[score].removesuffix("weight")}
        if score == "concat":
            sizes = memory_dim, hidden_dim
            self.memory_dense = dense(self, "memory", *sizes, use_bias=False)
            self.score_weight = vector(self, "score_weight", hidden_dim)
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
        return self.attend(queries, keys, memory, mask)

    def attend(self, queries, keys, memory, mask, window=None):
        """``attention`` with this layer's score."""
        check_longest(memory, self.config["max_length"])
        options = {"mask": mask, "window": window, "score": self.config["score"]}
        return in_wide(attention, queries, keys, memory, self.score_weight, **options)


@keras.saving.register_keras_serializable("attn_course")
class LocalAttention(LuongAttention):
    """Local attention: ``attn_course.reference.local_attention``.

    options are those of ``LuongAttention``.

    Raises:
        ValueError: a size or an option is not as there, half_width is not positive, or
        the alignment is unknown.
    """

    def __init__(
        self,
        query_dim: int,
        memory_dim: int,
        *,
        half_width: float,
        score: str = "general",
        alignment: str = "predictive",
        hidden_dim: int | None = None,
        max_length: int | None = None,
        **options: Any,
    ) -> None:
        sizes = {"hidden_dim": hidden_dim, "max_length": max_length}
        super().__init__(query_dim, memory_dim, score=score, **sizes, **options)
        check_local(half_width, alignment)
        self.config |= {"half_width": half_width, "alignment": alignment}
        self.position_dense = self.position_score_weight = None
        if alignment == "predictive":
            width = hidden_dim or query_dim
            sizes = query_dim, width
            self.position_dense = dense(self, "position", *sizes, use_bias=False)
            self.position_score_weight = vector(self, "position_score_weight", width)

    def call(
        self,
        query: tf.Tensor,
        memory: tf.Tensor,
        mask: Mask = None,
        *,
        keys: tf.Tensor | None = None,
        first_position: int = 0,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Attend from every query to a window; the first stands at first_position.

        Shapes:
            as in ``LuongAttention``; first_position matters to monotonic alignment.

        Raises:
            ValueError: a shape, dtype or mask is not as there.
        """
        queries, keys, mask = self.project(query, memory, mask, keys)
        center = self.center(query, memory, mask, first_position)
        gaussian = self.config["alignment"] == "predictive"
        options = {"half_width": self.config["half_width"], "gaussian": gaussian}
        window = local_window(center, tf.shape(memory)[1], **options)
        inside = window > 0 if mask is None else (window > 0) & mask
        return self.attend(queries, keys, memory, inside, window)

    def center(self, query, memory, mask, first_position):
        """Where each window stands: (B, T), in float32 or more."""
        dtype = wide(query.dtype)
        if self.config["alignment"] == "monotonic":
            steps = tf.range(tf.shape(query)[1]) + first_position
            return tf.broadcast_to(tf.cast(steps, dtype), tf.shape(query)[:2])
        hidden = tf.cast(tf.tanh(self.position_dense(query)), dtype)
        vector = tf.cast(self.position_score_weight, dtype)
        share = tf.sigmoid(tf.linalg.matvec(hidden, vector))
        length = tf.shape(memory)[1]
        if mask is not None:
            length = tf.reduce_sum(tf.cast(mask, tf.int32), axis=-1)
        return tf.cast(length, dtype) * share


@keras.saving.register_keras_serializable("attn_course")
class LuongDecoder(RecurrentDecoder):
    """Attends to the memory after every step: ``reference.luong_decoder``.

    The state is (B, H) before the first step and a ``LuongState`` after it.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        memory_dim: int,
        attention: keras.layers.Layer,
        input_feeding: bool = True,
        **options: Any,
    ) -> None:
        sizes = vocab_size, embedding_dim, hidden_dim
        config = decoder_sizes(*sizes, memory_dim=memory_dim)
        config["input_feeding"] = bool(input_feeding)
        fed = embedding_dim + (hidden_dim if input_feeding else 0)
        gru = partial(keras.layers.GRU, return_sequences=True)
        super().__init__(config, cell=gru, start_dim=memory_dim, **options)
        self.attention = attention
        width = memory_dim + hidden_dim
        self.combine = dense(self, "combine", width, hidden_dim, use_bias=False)
        self.output_layer = dense(
            self, "output_layer", hidden_dim, vocab_size, use_bias=True
        )
        self.cell.build((None, None, fed))
        self.built = True

    def prepare(self, memory: tf.Tensor, mask: Mask = None) -> Any:
        """The keys of the memory, computed once per sentence."""
        return self.attention.prepare(memory)

    def call(
        self,
        targets: tf.Tensor,
        memory: tf.Tensor,
        initial_state: tf.Tensor,
        mask: Mask = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """As in ``RecurrentDecoder``; in one run of the GRU without input feeding."""
        if self.config["input_feeding"]:
            return super().call(targets, memory, initial_state, mask)
        given = {"memory": memory, "initial_state": initial_state}
        check_decoder(self.config, mask, targets=targets, **given)
        hidden = self.cell(self.embedding(targets), initial_state=initial_state)
        attentional, weights = self.attend(hidden, memory, self.prepare(memory), mask)
        return self.read_out(attentional), weights

    def advance(self, embedded, state, memory, prepared, mask):
        """One step: the new state, what the readout sees, and the weights."""
        if not isinstance(state, LuongState):
            state = LuongState(state, tf.zeros_like(state), 0)
        if self.config["input_feeding"]:
            embedded = tf.concat([embedded, state.attentional], axis=-1)
        hidden, _ = self.cell.cell(embedded, [state.hidden])
        given = memory, prepared, mask, state.step
        attentional, weights = self.attend(hidden[:, None], *given)
        state = LuongState(hidden, attentional[:, 0], state.step + 1)
        return state, state.attentional, weights[:, 0]

    def attend(self, hidden, memory, prepared, mask, step=0):
        """Attend from the state after the step: attentional (B, T, H), weights."""
        options = {"keys": prepared}
        if isinstance(self.attention, LocalAttention):
            options["first_position"] = step
        context, weights = self.attention(hidden, memory, mask, **options)
        seen = tf.concat([context, hidden], axis=-1)
        return tf.tanh(self.combine(seen)), weights

    def read_out(self, seen):
        """The logits, of the attentional state."""
        return self.output_layer(seen)

    def get_config(self) -> dict[str, Any]:
        attention = keras.saving.serialize_keras_object(self.attention)
        return {**super().get_config(), "attention": attention}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "LuongDecoder":
        attention = keras.saving.deserialize_keras_object(config["attention"])
        return cls(**{**config, "attention": attention})
