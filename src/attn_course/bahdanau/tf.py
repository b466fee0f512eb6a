"""Additive attention and its decoder in TensorFlow.

Formulas and shapes: ``reference.py``.
"""

from attn_course.dot_product.tf import hide_unseen, masked_softmax
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.recurrent.tf import RecurrentDecoder
from attn_course.shapes import check_floats, check_memory_mask, check_shapes

__all__ = [
    "AdditiveAttention",
    "BahdanauDecoder",
    "additive_attention",
]


def additive_attention(query, memory, parameters, mask=None, *, prepared=None):
    """See ``attn_course.reference.additive_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_floats(query=query, memory=memory, score_weight=parameters["score_weight"])
    sizes = check_shapes(
        query=(query, "BTD"),
        memory=(memory, "BSE"),
        query_weight=(parameters["query_weight"], "DA"),
        memory_weight=(parameters["memory_weight"], "EA"),
        score_weight=(parameters["score_weight"], "A"),
    )
    if mask is not None:
        check_memory_mask(mask, sizes["B"], sizes["T"], sizes["S"])
    memory, keys = prepared or prepare_memory(memory, parameters["memory_weight"], mask)
    queries = query @ parameters["query_weight"]
    hidden = tf.tanh(queries[:, :, None] + keys[:, None])
    score = tf.linalg.matvec(hidden, parameters["score_weight"])
    weights = masked_softmax(score, _rows(mask))
    return weights @ memory, weights


def prepare_memory(memory, memory_weight, mask=None):
    """See ``attn_course.reference.prepare_memory``: once a sentence, not a step."""
    if mask is not None:
        memory = hide_unseen(memory, _rows(mask))
    return memory, memory @ memory_weight


def _rows(mask):
    return mask[:, None] if mask is not None and len(mask.shape) == 2 else mask


@keras.saving.register_keras_serializable("attn_course")
class AdditiveAttention(Layer):
    """Additive attention with its parameters.

    See ``attn_course.reference.additive_attention``.

    A mask that Keras carries on the memory (``Embedding(mask_zero=True)``) serves as
    padding.

    Shapes:
        query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
        -> context (B, T, memory_dim), weights (B, T, S).
    """

    def __init__(self, query_dim, memory_dim, hidden_dim, **options):
        super().__init__(**options)
        self.sizes = {
            "query_dim": query_dim,
            "memory_dim": memory_dim,
            "hidden_dim": hidden_dim,
        }
        normal = keras.initializers.RandomNormal(stddev=hidden_dim**-0.5)
        self.query_weight = self.add_weight(
            (query_dim, hidden_dim), "glorot_uniform", name="query_weight"
        )
        self.memory_weight = self.add_weight(
            (memory_dim, hidden_dim), "glorot_uniform", name="memory_weight"
        )
        self.score_weight = self.add_weight((hidden_dim,), normal, name="score_weight")
        self.built = True

    def prepare(self, memory, mask=None):
        """What a decoder computes once a sentence and passes to every step."""
        return prepare_memory(memory, tf.cast(self.memory_weight, memory.dtype), mask)

    def call(self, query, memory, mask=None, *, prepared=None, memory_mask=None):
        parameters = {
            "query_weight": tf.cast(self.query_weight, query.dtype),
            "memory_weight": tf.cast(self.memory_weight, query.dtype),
            "score_weight": tf.cast(self.score_weight, query.dtype),
        }
        mask = memory_mask if mask is None else mask
        return additive_attention(query, memory, parameters, mask, prepared=prepared)


@keras.saving.register_keras_serializable("attn_course")
class BahdanauDecoder(RecurrentDecoder):
    """Looks back at the whole sentence before every step.

    See ``attn_course.reference.bahdanau_decoder``.
    """

    def __init__(
        self,
        vocab_size,
        embedding_dim,
        hidden_dim,
        *,
        memory_dim,
        attention_dim,
        **options,
    ):
        sizes = {"memory_dim": memory_dim, "start_dim": memory_dim // 2}
        super().__init__(vocab_size, embedding_dim, hidden_dim, **sizes, **options)
        self.sizes["attention_dim"] = attention_dim
        self.attention = AdditiveAttention(
            hidden_dim, memory_dim, attention_dim, dtype=self.dtype_policy
        )

    def start(self, last_state):
        """The first state, from the right reader's last alone (appendix A.2.2)."""
        return super().start(last_state[:, last_state.shape[-1] // 2 :])

    def prepare(self, memory, mask=None):
        """The memory and its projection, once a sentence."""
        return self.attention.prepare(memory, mask)

    def look(self, previous_state, prepared, mask=None):
        """Attend from the previous state, s[i-1]: context (B, E), weights (B, S)."""
        query, memory = previous_state[:, None], prepared[0]
        context, weights = self.attention(query, memory, mask, prepared=prepared)
        return context[:, 0], weights[:, 0]
