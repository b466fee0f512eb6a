"""An LSTM with attention over its own past in TensorFlow. Formula: ``reference.py``."""

from attn_course.dot_product.tf import masked_softmax
from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.self_attention.intra.checks import PARTS, SPECS, check_intra


@keras.saving.register_keras_serializable("attn_course")
class IntraAttentionLSTM(Layer):
    """LSTMN: ``attn_course.reference.intra_attention_lstm``.

    A mask that Keras carries on x (``Embedding(mask_zero=True)``) serves as padding.

    Shapes:
        x (B, T, input_dim), mask (B, T), padding
        -> states (B, T, hidden_dim), weights (B, T, T).

    Raises:
        ValueError: a shape, dtype or the mask is not as above, or T is unknown when
            ``tf.function`` traces it: there is one graph a length.
    """

    def __init__(self, input_dim, hidden_dim, *, attention_dim, **options):
        super().__init__(**options)
        self.sizes = {"input_dim": input_dim, "hidden_dim": hidden_dim}
        self.sizes |= {"attention_dim": attention_dim}
        widths = {"D": input_dim, "H": hidden_dim, "A": attention_dim}
        widths["G"] = PARTS * hidden_dim
        starts = {
            "score_weight": keras.initializers.RandomNormal(0, attention_dim**-0.5)
        }
        starts["bias"] = keras.initializers.Constant(
            [0.0] * hidden_dim + [1.0] * hidden_dim + [0.0] * 2 * hidden_dim
        )  # remember at first, forget when it is learned
        for name, letters in SPECS.items():
            shape = [widths[letter] for letter in letters]
            start = starts.get(name, "glorot_uniform")
            setattr(self, name, self.add_weight(shape, start, name=name))
        self.built = True

    def call(self, x, mask=None):
        weight = {name: tf.cast(getattr(self, name), x.dtype) for name in SPECS}
        check_intra(x, weight, mask)
        if x.shape[1] is None:
            raise ValueError(f"x must have a known length T, got {x.shape}")
        real = tf.ones(tf.shape(x)[:2], tf.bool) if mask is None else mask
        zero = tf.zeros((), x.dtype)
        x = tf.where(real[..., None], x, zero)
        queries = x @ weight["query_weight"]
        inputs = x @ weight["input_weight"] + weight["bias"]
        summary = tf.zeros([tf.shape(x)[0], self.sizes["hidden_dim"]], x.dtype)
        states, cells, keys, weights = [], [], [], []
        for t in range(x.shape[1]):
            query = queries[:, t] + summary @ weight["summary_weight"]
            if t:
                score = tf.tanh(tf.stack(keys, 1) + query[:, None])
                score = tf.linalg.matvec(score, weight["score_weight"])
                look = masked_softmax(score, real[:, :t] & real[:, t, None])
                found = tf.einsum("bi,bih->bh", look, tf.stack(states, 1))
                past = tf.einsum("bi,bih->bh", look, tf.stack(cells, 1))
            else:  # no past yet
                look = tf.zeros([tf.shape(x)[0], 0], x.dtype)
                found = past = summary
            state, cell = self._step(inputs[:, t], found, past, weight["state_weight"])
            here = real[:, t, None]
            states.append(tf.where(here, state, zero))
            cells.append(tf.where(here, cell, zero))
            keys.append(states[-1] @ weight["memory_weight"])
            summary = tf.where(here, found, summary)
            weights.append(tf.pad(look, [[0, 0], [0, x.shape[1] - t]]))
        return tf.stack(states, 1), tf.stack(weights, 1)

    def _step(self, inputs, summary, past, state_weight):
        """The LSTM's own equations, from the summary and the past."""
        parts = tf.split(inputs + summary @ state_weight, PARTS, axis=-1)
        input_, forget, output = map(tf.sigmoid, parts[:3])
        cell = forget * past + input_ * tf.tanh(parts[3])
        return output * tf.tanh(cell), cell
