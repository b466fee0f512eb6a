"""The encoder, and the decoder with one fixed context, in TensorFlow.

Formulas: ``reference.py``.
"""

from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.recurrent.shared import check_decoder
from attn_course.shapes import check_mask_dtype, check_shapes, check_tokens

__all__ = [
    "EncoderDecoder",
    "FixedContextDecoder",
    "RecurrentEncoder",
]


def orthogonal(shape, dtype=None):
    """How Keras begins recurrent weights; its QR decomposition needs float32."""
    return tf.cast(keras.initializers.Orthogonal()(shape, "float32"), dtype)


@keras.saving.register_keras_serializable("attn_course")
class RecurrentEncoder(Layer):
    """Read a sentence in both directions: ``attn_course.reference.recurrent_encoder``.

    Shapes:
        tokens (B, S), mask (B, S)
        -> memory (B, S, 2 * hidden_dim), last state (B, 2 * hidden_dim).

    Raises:
        ValueError: tokens are not integers of shape (B, S), or the mask does not fit.
    """

    def __init__(self, vocab_size, embedding_dim, hidden_dim, **options):
        super().__init__(**options)
        self.sizes = {
            "vocab_size": vocab_size,
            "embedding_dim": embedding_dim,
            "hidden_dim": hidden_dim,
        }
        dtype = {"dtype": self.dtype_policy}
        gru = {"return_sequences": True, "recurrent_initializer": orthogonal, **dtype}
        normal = keras.initializers.RandomNormal(stddev=1.0)  # as PyTorch begins
        self.embedding = keras.layers.Embedding(
            vocab_size, embedding_dim, normal, **dtype
        )
        self.forward_gru = keras.layers.GRU(hidden_dim, **gru)
        self.backward_gru = keras.layers.GRU(hidden_dim, **gru)
        self.embedding.build((None, None))
        self.forward_gru.build((None, None, embedding_dim))
        self.backward_gru.build((None, None, embedding_dim))
        self.built = True

    def call(self, tokens, mask=None):
        check_tokens("tokens", tokens)
        if mask is None:
            mask = tf.ones_like(tokens, dtype=tf.bool)
        check_mask_dtype(mask)
        check_shapes(tokens=(tokens, "BS"), mask=(mask, "BS"))
        embedded = self.embedding(tokens)
        position = tf.range(tf.shape(mask)[1])
        left, left_last = self._read(self.forward_gru, embedded, mask, position)
        right, right_last = self._read(self.backward_gru, embedded, mask, -position)
        memory = tf.concat([left, right], axis=-1)
        memory *= tf.cast(mask, memory.dtype)[..., None]
        return memory, tf.concat([left_last, right_last], axis=-1)

    def _read(self, gru, embedded, mask, rank):
        """Read the tokens by rising rank, leaving gaps out; return states and last."""
        count = tf.reduce_sum(tf.cast(mask, tf.int32), axis=1, keepdims=True)
        order = tf.argsort(tf.where(mask, rank, tf.shape(mask)[1]), axis=1)
        states = gru(_take(embedded, order))
        last = _take(states, tf.maximum(count - 1, 0))[:, 0]
        last *= tf.cast(count > 0, last.dtype)
        return _take(states, tf.argsort(order, axis=1)), last


class RecurrentDecoder(Layer):
    """What the recurrent decoders share; they differ in ``prepare`` and ``look``.

    Shapes:
        start: last_state (B, E) -> state (B, H).
        step: token (B), state (B, H), memory (B, S, E), mask (B, S)
        -> logits (B, N), state (B, H), weights (B, S) or None.
        the call, teacher forcing: targets (B, T), memory, initial_state (B, H), mask
        -> logits (B, T, N), weights (B, T, S) or None.

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
        start_dim,
        **options,
    ):
        super().__init__(**options)
        self.sizes = {
            "vocab_size": vocab_size,
            "embedding_dim": embedding_dim,
            "hidden_dim": hidden_dim,
            "memory_dim": memory_dim,
        }
        readout_dim = hidden_dim + embedding_dim + memory_dim
        self.known = {"E": memory_dim, "H": hidden_dim}
        dtype = {"dtype": self.dtype_policy}
        normal = keras.initializers.RandomNormal(stddev=1.0)  # as PyTorch begins
        self.embedding = keras.layers.Embedding(
            vocab_size, embedding_dim, normal, **dtype
        )
        self.cell = keras.layers.GRUCell(
            hidden_dim, recurrent_initializer=orthogonal, **dtype
        )
        self.bridge = keras.layers.Dense(hidden_dim, **dtype)
        self.readout = keras.layers.Dense(2 * hidden_dim, **dtype)
        self.output_layer = keras.layers.Dense(vocab_size, **dtype)
        self.embedding.build((None, None))
        self.cell.build((None, embedding_dim + memory_dim))
        self.bridge.build((None, start_dim))
        self.readout.build((None, readout_dim))
        self.output_layer.build((None, hidden_dim))
        self.built = True

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return tf.tanh(self.bridge(last_state))

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output. ``prepared``: what ``prepare(memory, mask)`` gave, or None."""
        check_decoder(
            self.known,
            mask,
            token=(token, "B"),
            memory=(memory, "BSE"),
            state=(state, "BH"),
        )
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        embedded = self.embedding(token)
        state, context, weights = self._advance(embedded, state, prepared, mask)
        return self._logits(state, embedded, context), state, weights

    def call(self, targets, memory, initial_state, mask=None):
        check_decoder(
            self.known,
            mask,
            targets=(targets, "BT"),
            memory=(memory, "BSE"),
            initial_state=(initial_state, "BH"),
        )
        state, embedded = initial_state, self.embedding(targets)
        prepared = self.prepare(memory, mask)
        states, contexts, weights = [], [], []
        for x in tf.unstack(embedded, axis=1):
            state, context, weight = self._advance(x, state, prepared, mask)
            states.append(state)
            contexts.append(context)
            weights.append(weight)
        states, contexts = tf.stack(states, axis=1), tf.stack(contexts, axis=1)
        logits = self._logits(states, embedded, contexts)
        return logits, None if weights[0] is None else tf.stack(weights, axis=1)

    def _advance(self, embedded, state, prepared, mask):
        context, weights = self.look(state, prepared, mask)
        state, _ = self.cell(tf.concat([embedded, context], axis=-1), [state])
        return state, context, weights

    def _logits(self, state, embedded, context):
        pairs = self.readout(tf.concat([state, embedded, context], axis=-1))
        return self.output_layer(tf.maximum(pairs[..., 0::2], pairs[..., 1::2]))


@keras.saving.register_keras_serializable("attn_course")
class FixedContextDecoder(RecurrentDecoder):
    """Sees one fixed vector: ``attn_course.reference.fixed_context_decoder``."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim, *, memory_dim, **options):
        sizes = {"memory_dim": memory_dim, "start_dim": memory_dim}
        super().__init__(vocab_size, embedding_dim, hidden_dim, **sizes, **options)

    def prepare(self, memory, mask=None):
        """The two readers' last states, out of the memory: (B, S, E) -> (B, E)."""
        if mask is None:
            mask = tf.ones(tf.shape(memory)[:2], dtype=tf.bool)
        first = _first(mask)
        last = tf.shape(mask)[1] - 1 - _first(mask[:, ::-1])
        left, right = tf.split(memory, 2, axis=-1)
        found = tf.concat([_take(left, last)[:, 0], _take(right, first)[:, 0]], axis=-1)
        seen = tf.reduce_any(mask, axis=1, keepdims=True)
        return tf.where(seen, found, tf.zeros((), found.dtype))

    def look(self, previous_state, prepared, mask=None):
        """The same context whatever the state: (B, E), and no weights."""
        return prepared, None


@keras.saving.register_keras_serializable("attn_course")
class EncoderDecoder(Layer):
    """An encoder and a decoder as one model.

    Shapes:
        source (B, S), target_in (B, T), source_mask (B, S)
        -> logits (B, T, N), weights (B, T, S) or None.
    """

    def __init__(self, encoder, decoder, **options):
        super().__init__(**options)
        self.encoder = encoder
        self.decoder = decoder
        self.built = True

    def call(self, source, target_in, source_mask=None):
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        return self.decoder(target_in, memory, state, source_mask)

    def greedy(self, source, source_mask=None, *, begin, max_length):
        """Take the likeliest token at every step.

        Shapes:
            returns: tokens (B, max_length), weights (B, max_length, S) or None.
        """
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        prepared = self.decoder.prepare(memory, source_mask)
        token = tf.fill(tf.shape(source)[:1], begin)
        tokens, weights = [], []
        for _ in range(max_length):
            logits, state, weight = self.decoder.step(
                token, state, memory, source_mask, prepared=prepared
            )
            token = tf.argmax(logits, axis=-1, output_type=tf.int32)
            tokens.append(token)
            weights.append(weight)
        tokens = tf.stack(tokens, axis=1)
        return tokens, None if weights[0] is None else tf.stack(weights, axis=1)

    def get_config(self):
        encoder = keras.saving.serialize_keras_object(self.encoder)
        decoder = keras.saving.serialize_keras_object(self.decoder)
        return {**super().get_config(), "encoder": encoder, "decoder": decoder}

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config.pop("encoder"))
        decoder = keras.saving.deserialize_keras_object(config.pop("decoder"))
        return cls(encoder, decoder, **config)


def _first(mask):
    """The first True of every row: (B, S) -> (B, 1)."""
    return tf.argmax(tf.cast(mask, tf.int32), axis=1, output_type=tf.int32)[:, None]


def _take(x, index):
    """x[b, index[b, t]] for every b and t: (B, S, X), (B, T) -> (B, T, X)."""
    return tf.gather(x, index, axis=1, batch_dims=1)
