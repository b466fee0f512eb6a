"""The recurrent encoder and the decoder with one fixed context in TensorFlow. Formulas: ``reference.py``."""

from attn_course.frameworks import keras, tf
from attn_course.shapes import check_mask_dtype, check_shapes, check_tokens


@keras.saving.register_keras_serializable("attn_course")
class RecurrentEncoder(keras.layers.Layer):
    """Read a sentence in both directions. See ``attn_course.reference.recurrent_encoder``.

    Shapes:
        tokens (B, S), mask (B, S) -> memory (B, S, 2 * hidden_dim), last state (B, 2 * hidden_dim).

    Raises:
        ValueError: tokens are not integers of shape (B, S), or the mask does not fit.
    """

    def __init__(self, vocab_size, embedding_dim, hidden_dim, **options):
        super().__init__(**options)
        self.sizes = {"vocab_size": vocab_size, "embedding_dim": embedding_dim, "hidden_dim": hidden_dim}
        dtype = {"dtype": self.dtype_policy}
        normal = keras.initializers.RandomNormal(stddev=1.0)  # as PyTorch begins
        self.embedding = keras.layers.Embedding(vocab_size, embedding_dim, normal, **dtype)
        self.forward_gru = keras.layers.GRU(hidden_dim, return_sequences=True, **dtype)
        self.backward_gru = keras.layers.GRU(hidden_dim, return_sequences=True, **dtype)
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
        forward_states, forward_last = self._read(self.forward_gru, embedded, mask, backward=False)
        backward_states, backward_last = self._read(self.backward_gru, embedded, mask, backward=True)
        memory = tf.concat([forward_states, backward_states], axis=-1)
        return memory * tf.cast(mask, memory.dtype)[..., None], tf.concat([forward_last, backward_last], axis=-1)

    def _read(self, gru, embedded, mask, *, backward):
        """Bring the tokens to the front, in reading order, run the GRU, and put the states back in place."""
        positions = tf.shape(mask)[1]
        position = tf.range(positions)
        order = tf.argsort(tf.where(mask, -position if backward else position, positions), axis=1, stable=True)
        states = gru(_take(embedded, order))
        count = tf.reduce_sum(tf.cast(mask, tf.int32), axis=1)
        last = _take(states, tf.maximum(count - 1, 0)[:, None])[:, 0]
        return _take(states, tf.argsort(order, axis=1)), last * tf.cast(count > 0, last.dtype)[:, None]

    def compute_mask(self, tokens, mask=None):
        return None

    def get_config(self):
        return {**super().get_config(), **self.sizes}


class RecurrentDecoder(keras.layers.Layer):
    """What the recurrent decoders share; they differ in ``prepare`` and ``look``.

    ``start(last_state) -> state (B, H)``, ``step(token (B), state, memory, mask) -> (logits (B, N), state, weights)``,
    and the call with teacher forcing: ``(targets (B, T), memory, initial_state, mask) -> (logits (B, T, N), weights)``.
    """

    def __init__(self, vocab_size, embedding_dim, hidden_dim, *, memory_dim, start_dim, **options):
        super().__init__(**options)
        self.sizes = {"vocab_size": vocab_size, "embedding_dim": embedding_dim, "hidden_dim": hidden_dim}
        self.sizes["memory_dim"] = memory_dim
        dtype = {"dtype": self.dtype_policy}
        normal = keras.initializers.RandomNormal(stddev=1.0)  # as PyTorch begins
        self.embedding = keras.layers.Embedding(vocab_size, embedding_dim, normal, **dtype)
        self.cell = keras.layers.GRUCell(hidden_dim, **dtype)
        self.bridge = keras.layers.Dense(hidden_dim, **dtype)
        self.readout = keras.layers.Dense(2 * hidden_dim, **dtype)
        self.output_layer = keras.layers.Dense(vocab_size, **dtype)
        self.embedding.build((None, None))
        self.cell.build((None, embedding_dim + memory_dim))
        self.bridge.build((None, start_dim))
        self.readout.build((None, hidden_dim + embedding_dim + memory_dim))
        self.output_layer.build((None, hidden_dim))
        self.built = True

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return tf.tanh(self.bridge(last_state))

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output. ``prepared`` is ``prepare(memory, mask)``, where the caller has it already."""
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        embedded = self.embedding(token)
        state, context, weights = self._advance(embedded, state, prepared, mask)
        return self._logits(state, embedded, context), state, weights

    def call(self, targets, memory, initial_state, mask=None):
        check_tokens("targets", targets)
        check_shapes(targets=(targets, "BT"), memory=(memory, "BSE"), initial_state=(initial_state, "BH"))
        prepared, embedded, state = self.prepare(memory, mask), self.embedding(targets), initial_state
        states, contexts, weights = [], [], []
        for i in range(targets.shape[1]):
            state, context, weight = self._advance(embedded[:, i], state, prepared, mask)
            states.append(state)
            contexts.append(context)
            weights.append(weight)
        logits = self._logits(tf.stack(states, axis=1), embedded, tf.stack(contexts, axis=1))
        return logits, None if weights[0] is None else tf.stack(weights, axis=1)

    def _advance(self, embedded, state, prepared, mask):
        context, weights = self.look(state, prepared, mask)
        return self.cell(tf.concat([embedded, context], axis=-1), [state])[0], context, weights

    def _logits(self, state, embedded, context):
        pairs = self.readout(tf.concat([state, embedded, context], axis=-1))
        largest = tf.maximum(pairs[..., 0::2], pairs[..., 1::2])
        return self.output_layer(largest)

    def compute_mask(self, *inputs, mask=None):
        return None

    def get_config(self):
        return {**super().get_config(), **self.sizes}


@keras.saving.register_keras_serializable("attn_course")
class FixedContextDecoder(RecurrentDecoder):
    """Sees the sentence through one fixed vector. See ``attn_course.reference.fixed_context_decoder``."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim, *, memory_dim, **options):
        super().__init__(vocab_size, embedding_dim, hidden_dim, memory_dim=memory_dim, start_dim=memory_dim, **options)

    def prepare(self, memory, mask=None):
        """The two readers' last states, out of the memory: (B, S, E) -> (B, E)."""
        if mask is None:
            mask = tf.ones(tf.shape(memory)[:2], dtype=tf.bool)
        half = memory.shape[-1] // 2
        first = tf.argmax(tf.cast(mask, tf.int32), axis=1, output_type=tf.int32)
        from_end = tf.argmax(tf.cast(mask[:, ::-1], tf.int32), axis=1, output_type=tf.int32)
        last = tf.shape(mask)[1] - 1 - from_end
        found = tf.concat([_take(memory, last[:, None])[:, 0, :half], _take(memory, first[:, None])[:, 0, half:]], -1)
        return tf.where(tf.reduce_any(mask, axis=1)[:, None], found, tf.zeros((), found.dtype))

    def look(self, previous_state, prepared, mask=None):
        """The same context whatever the state: (B, E), and no weights."""
        return prepared, None


@keras.saving.register_keras_serializable("attn_course")
class EncoderDecoder(keras.layers.Layer):
    """An encoder and a decoder as one model.

    Shapes:
        source (B, S), target_in (B, T), source_mask (B, S) -> logits (B, T, N), weights (B, T, S) or None.
    """

    def __init__(self, encoder, decoder, **options):
        super().__init__(**options)
        self.encoder = encoder
        self.decoder = decoder
        self.built = True

    def call(self, source, target_in, source_mask=None):
        memory, last_state = self.encoder(source, mask=source_mask)
        return self.decoder(target_in, memory, self.decoder.start(last_state), source_mask)

    def greedy(self, source, source_mask=None, *, begin, max_length):
        """Decode the likeliest token at every step: tokens (B, max_length), weights (B, max_length, S) or None."""
        memory, last_state = self.encoder(source, mask=source_mask)
        state, prepared = self.decoder.start(last_state), self.decoder.prepare(memory, source_mask)
        token = tf.fill([tf.shape(source)[0]], begin)
        tokens, weights = [], []
        for _ in range(max_length):
            logits, state, weight = self.decoder.step(token, state, memory, source_mask, prepared=prepared)
            token = tf.argmax(logits, axis=-1, output_type=tf.int32)
            tokens.append(token)
            weights.append(weight)
        return tf.stack(tokens, axis=1), None if weights[0] is None else tf.stack(weights, axis=1)

    def compute_mask(self, *inputs, mask=None):
        return None

    def get_config(self):
        parts = {"encoder": self.encoder, "decoder": self.decoder}
        return {**super().get_config(), **{k: keras.saving.serialize_keras_object(v) for k, v in parts.items()}}

    @classmethod
    def from_config(cls, config):
        parts = {key: keras.saving.deserialize_keras_object(config.pop(key)) for key in ("encoder", "decoder")}
        return cls(**parts, **config)


def _take(x, index):
    """x[b, index[b, t]] for every b and t: (B, S, X), (B, T) -> (B, T, X)."""
    return tf.gather(x, index, axis=1, batch_dims=1)
