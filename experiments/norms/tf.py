"""What the norm's place does to sizes, gradients and training, in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.norms import FF_DIM, HEADS, LAYERS, MODEL_DIM
from attn_course.course.training.tf import train as train
from attn_course.tf import Encoder, sinusoidal_encoding


def last_gradient(norm, depth, seed):
    """The size of the last layer's gradient, at the start, for random labels.

    The paper's setting: all matrices as wide as the model; the loss is a cross-entropy
    after one more linear map; the gradient is that of the network's second matrix.
    """
    keras.utils.set_random_seed(seed)
    width = 64
    encoder = Encoder(depth, width, 1, width, norm=norm)
    start = keras.initializers.GlorotNormal()
    logits = keras.layers.Dense(width, use_bias=False, kernel_initializer=start)
    x = tf.random.normal([16, 8, width])
    labels = tf.random.uniform([16, 8], maxval=width, dtype="int32")
    matrix = encoder.layers[-1].feed_forward.outer.kernel
    with tf.GradientTape() as tape:
        output, _ = encoder(x, need_weights=False)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits(output))
        loss = tf.reduce_mean(loss)
    return float(tf.norm(tape.gradient(loss, matrix.value)))


class ByteModel(keras.Model):
    """A deep stack that predicts the next byte: tokens (B, T) -> logits (B, T, 256)."""

    def __init__(self, norm):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(256, MODEL_DIM, start)
        self.encoder = Encoder(LAYERS, MODEL_DIM, HEADS, FF_DIM, norm=norm)
        self.logits = keras.layers.Dense(256)

    def call(self, tokens):
        places = sinusoidal_encoding(tokens.shape[1], MODEL_DIM)
        x = self.embedding(tokens) + tf.cast(places, "float32")
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x)


def next_byte(model, text):
    """The cross-entropy of every byte but the first: text (B, T + 1)."""
    logits = model(text[:, :-1])
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(text[:, 1:], logits)
    return tf.reduce_mean(each)
