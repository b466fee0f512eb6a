"""Luong's decoder in TensorFlow. Formulas: ``reference.py``."""

from attn_course.bahdanau.encoder_decoder.checks import check_decoder
from attn_course.bahdanau.encoder_decoder.tf import orthogonal
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.luong.attention.tf import LocalAttention
from attn_course.luong.decoder.state import LuongState


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
