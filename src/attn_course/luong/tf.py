"""Luong's global and local attention in TensorFlow. Formulas: ``reference.py``."""

from attn_course.dot_product.tf import hide_unseen, masked_softmax
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.luong.shared import (
    ALIGNMENTS,
    LuongState,
    check_attention,
    check_half_width,
    check_score,
    check_score_inputs,
)
from attn_course.recurrent.shared import check_decoder
from attn_course.recurrent.tf import orthogonal
from attn_course.shapes import check_choice

__all__ = [
    "LocalAttention",
    "LuongAttention",
    "LuongDecoder",
    "local_window",
    "luong_score",
]


def luong_score(query, memory, parameters, *, score, keys=None):
    """See ``attn_course.reference.luong_score``."""
    check_score_inputs(query, memory, parameters, score)
    if score == "general":
        query = query @ parameters["weight"]
    if score == "location":
        return (query @ parameters["location_weight"])[:, :, : tf.shape(memory)[1]]
    if score == "concat":
        keys = memory @ parameters["memory_weight"] if keys is None else keys
        queries = query @ parameters["query_weight"]
        hidden = tf.tanh(queries[:, :, None] + keys[:, None])
        return tf.linalg.matvec(hidden, parameters["score_weight"])
    return tf.einsum("btd,bsd->bts", query, memory)


def local_window(center, size, *, half_width, gaussian):
    """See ``attn_course.reference.local_window``.

    In float32 or more: bfloat16 holds no odd position beyond 256.
    """
    check_half_width(half_width)
    center = tf.cast(center, _wide(center))
    positions = tf.cast(tf.range(size), center.dtype)
    distance = positions - center[..., None]
    inside = tf.abs(distance) <= half_width
    sigma = half_width / 2
    height = tf.ones_like(distance)
    if gaussian:
        height = tf.exp(-(distance**2) / (2 * sigma**2))
    return tf.where(inside, height, tf.zeros_like(distance))


@keras.saving.register_keras_serializable("attn_course")
class LuongAttention(Layer):
    """Global attention: ``attn_course.reference.luong_attention``.

    A mask that Keras carries on the memory (``Embedding(mask_zero=True)``) serves as
    padding.

    Shapes:
        query (B, T, query_dim), memory (B, S, memory_dim), mask (B, S) or (B, T, S)
        -> context (B, T, memory_dim), weights (B, T, S).

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.
    """

    def __init__(
        self,
        query_dim,
        memory_dim,
        *,
        score="dot",
        hidden_dim=None,
        max_length=None,
        **options,
    ):
        super().__init__(**options)
        check_score(score, hidden_dim=hidden_dim, max_length=max_length)
        self.score = score
        self.sizes = {"query_dim": query_dim, "memory_dim": memory_dim, "score": score}
        self.sizes |= {"hidden_dim": hidden_dim, "max_length": max_length}
        sizes = {"D": query_dim, "E": memory_dim, "A": hidden_dim, "L": max_length}
        self.names = _add_weights(self, score, sizes)
        self.built = True

    def prepare(self, memory, mask=None):
        """What a decoder computes once a sentence: the memory and its keys."""
        rows = _rows(mask)
        memory = memory if rows is None else hide_unseen(memory, rows)
        keys = None
        if self.score == "concat":
            keys = memory @ tf.cast(self.memory_weight, memory.dtype)
        return memory, keys

    def call(self, query, memory, mask=None, *, prepared=None, memory_mask=None):
        mask = memory_mask if mask is None else mask
        parameters = self._parameters(query.dtype)
        check_attention(query, memory, parameters, self.score, mask)
        memory, keys = prepared or self.prepare(memory, mask)
        rows = _rows(mask)
        score = luong_score(query, memory, parameters, score=self.score, keys=keys)
        weights = masked_softmax(score, rows)
        return weights @ memory, weights

    def _parameters(self, dtype):
        return {name: tf.cast(getattr(self, name), dtype) for name in self.names}


@keras.saving.register_keras_serializable("attn_course")
class LocalAttention(LuongAttention):
    """Local attention: ``attn_course.reference.local_attention``.

    Shapes:
        as in ``LuongAttention``. first_position: where the first query stands, for
        monotonic alignment.

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.
    """

    def __init__(
        self,
        query_dim,
        memory_dim,
        *,
        half_width,
        score="general",
        alignment="predictive",
        hidden_dim=None,
        max_length=None,
        **options,
    ):
        options |= {"hidden_dim": hidden_dim, "max_length": max_length}
        super().__init__(query_dim, memory_dim, score=score, **options)
        check_choice("alignment", alignment, ALIGNMENTS)
        check_half_width(half_width)
        self.alignment, self.half_width = alignment, half_width
        self.sizes |= {"half_width": half_width, "alignment": alignment}
        if alignment == "predictive":
            sizes = {"D": query_dim, "A": hidden_dim or query_dim}
            _add_weights(self, "predictive", sizes)

    def call(
        self,
        query,
        memory,
        mask=None,
        *,
        prepared=None,
        first_position=0,
        memory_mask=None,
    ):
        mask = memory_mask if mask is None else mask
        parameters = self._parameters(query.dtype)
        check_attention(query, memory, parameters, self.score, mask)
        memory, keys = prepared or self.prepare(memory, mask)
        rows = _rows(mask)
        center = self._center(query, memory, rows, first_position)
        gaussian = self.alignment == "predictive"
        size = {"half_width": self.half_width, "gaussian": gaussian}
        window = local_window(center, tf.shape(memory)[1], **size)
        inside = window > 0 if rows is None else (window > 0) & rows
        score = luong_score(query, memory, parameters, score=self.score, keys=keys)
        weights = masked_softmax(score, inside) * tf.cast(window, score.dtype)
        return weights @ memory, weights

    def _center(self, query, memory, rows, first_position):
        wide = _wide(query)
        if self.alignment == "monotonic":
            steps = tf.range(tf.shape(query)[1]) + first_position
            return tf.broadcast_to(tf.cast(steps, wide), tf.shape(query)[:2])
        hidden = tf.tanh(query @ tf.cast(self.position_weight, query.dtype))
        vector = tf.cast(self.position_score_weight, query.dtype)
        share = tf.sigmoid(tf.cast(tf.linalg.matvec(hidden, vector), wide))
        length = tf.shape(memory)[1]
        if rows is not None:
            length = tf.reduce_sum(tf.cast(rows, tf.int32), axis=-1)
        return tf.cast(length, wide) * share


def _rows(mask):
    return mask[:, None] if mask is not None and len(mask.shape) == 2 else mask


def _wide(x):
    return tf.float64 if x.dtype == tf.float64 else tf.float32


# What each score, and the predicted position, learns: a name and a shape in letters.
_WEIGHTS = {
    "dot": {},
    "general": {"weight": "DE"},
    "concat": {"query_weight": "DA", "memory_weight": "EA", "score_weight": "A"},
    "location": {"location_weight": "DL"},
    "predictive": {"position_weight": "DA", "position_score_weight": "A"},
}


def _add_weights(layer, kind, sizes):
    """Matrices begin as Glorot and Bengio (2010) say, vectors with their root."""
    for name, letters in _WEIGHTS[kind].items():
        shape = [sizes[letter] for letter in letters]
        start = keras.initializers.GlorotUniform()
        if len(shape) == 1:
            start = keras.initializers.RandomNormal(stddev=shape[0] ** -0.5)
        setattr(layer, name, layer.add_weight(shape, start, name=name))
    return tuple(_WEIGHTS[kind])


@keras.saving.register_keras_serializable("attn_course")
class LuongDecoder(Layer):
    """Looks at the sentence after every step: ``attn_course.reference.luong_decoder``.

    Shapes:
        start: last_state (B, E) -> state (B, H).
        step: token (B), state, memory (B, S, E), mask (B, S)
        -> logits (B, N), state, weights (B, S). The state is (B, H) before the first
        step and a ``LuongState`` after it.
        the call, teacher forcing: targets (B, T), memory, initial_state (B, H), mask
        -> logits (B, T, N), weights (B, T, S).

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """

    def __init__(
        self,
        vocab_size,
        embedding_dim,
        hidden_dim,
        *,
        memory_dim,
        attention,
        input_feeding=True,
        **options,
    ):
        super().__init__(**options)
        self.sizes = {
            "vocab_size": vocab_size,
            "embedding_dim": embedding_dim,
            "hidden_dim": hidden_dim,
            "memory_dim": memory_dim,
            "input_feeding": input_feeding,
        }
        self.known = {"E": memory_dim, "H": hidden_dim}
        self.input_feeding = input_feeding
        input_dim = embedding_dim + (hidden_dim if input_feeding else 0)
        dtype = {"dtype": self.dtype_policy}
        normal = keras.initializers.RandomNormal(stddev=1.0)  # as PyTorch begins
        self.embedding = keras.layers.Embedding(
            vocab_size, embedding_dim, normal, **dtype
        )
        self.cell = keras.layers.GRU(
            hidden_dim, return_sequences=True, recurrent_initializer=orthogonal, **dtype
        )
        self.bridge = keras.layers.Dense(hidden_dim, **dtype)
        self.attention = attention
        self.combine = keras.layers.Dense(hidden_dim, use_bias=False, **dtype)
        self.output_layer = keras.layers.Dense(vocab_size, **dtype)
        self.embedding.build((None, None))
        self.cell.build((None, None, input_dim))
        self.bridge.build((None, memory_dim))
        self.combine.build((None, memory_dim + hidden_dim))
        self.output_layer.build((None, hidden_dim))
        self.built = True

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return tf.tanh(self.bridge(last_state))

    def prepare(self, memory, mask=None):
        """What does not depend on the state, once a sentence."""
        return self.attention.prepare(memory, mask)

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output. ``prepared``: what ``prepare(memory, mask)`` gave, or None."""
        if not isinstance(state, LuongState):
            state = LuongState(state, tf.zeros_like(state), 0)
        check_decoder(
            self.known,
            mask,
            token=(token, "B"),
            memory=(memory, "BSE"),
            state=(state.hidden, "BH"),
        )
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        state, weights = self._advance(self.embedding(token), state, prepared, mask)
        return self.output_layer(state.attentional), state, weights

    def call(self, targets, memory, initial_state, mask=None):
        check_decoder(
            self.known,
            mask,
            targets=(targets, "BT"),
            memory=(memory, "BSE"),
            initial_state=(initial_state, "BH"),
        )
        embedded, prepared = self.embedding(targets), self.prepare(memory, mask)
        if not self.input_feeding:  # no step waits for another's attention
            hidden = self.cell(embedded, initial_state=initial_state)
            attentional, weights = self._look(hidden, prepared, mask, 0)
            return self.output_layer(attentional), weights
        state = LuongState(initial_state, tf.zeros_like(initial_state), 0)
        attentional, weights = [], []
        for x in tf.unstack(embedded, axis=1):
            state, weight = self._advance(x, state, prepared, mask)
            attentional.append(state.attentional)
            weights.append(weight)
        logits = self.output_layer(tf.stack(attentional, axis=1))
        return logits, tf.stack(weights, axis=1)

    def _advance(self, embedded, state, prepared, mask):
        fed = [embedded, state.attentional] if self.input_feeding else [embedded]
        x = tf.concat(fed, axis=-1)
        hidden, _ = self.cell.cell(x, [state.hidden])
        attentional, weights = self._look(hidden[:, None], prepared, mask, state.step)
        state = LuongState(hidden, attentional[:, 0], state.step + 1)
        return state, weights[:, 0]

    def _look(self, hidden, prepared, mask, step):
        """Attend from the state after the step: attentional (B, T, H), weights."""
        options = {"prepared": prepared}
        if isinstance(self.attention, LocalAttention):
            options["first_position"] = step
        context, weights = self.attention(hidden, prepared[0], mask, **options)
        seen = tf.concat([context, hidden], axis=-1)
        return tf.tanh(self.combine(seen)), weights

    def get_config(self):
        attention = keras.saving.serialize_keras_object(self.attention)
        return {**super().get_config(), "attention": attention}

    @classmethod
    def from_config(cls, config):
        attention = keras.saving.deserialize_keras_object(config.pop("attention"))
        return cls(attention=attention, **config)
