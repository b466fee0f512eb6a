"""The models of ``attn_course.labs.positions`` in TensorFlow."""

from attn_course.frameworks import keras, tf
from attn_course.labs.positions import BUCKETS, MAX_DISTANCE, rate_at
from attn_course.tf import (
    AlibiBias,
    LearnedEncoding,
    LogLengthScale,
    MultiHeadAttention,
    RelativeAttention,
    RelativeBias,
    RotaryEncoding,
    SinusoidalEncoding,
)
from attn_course.training import tf as loop

EPSILON = 1e-5  # PyTorch's, in the norm


class Block(keras.Model):
    """Attention, then a network for every token; each is added to what came in."""

    def __init__(self, width, heads, positions, rotation):
        super().__init__()
        if positions == "shaw":
            sizes = {"max_distance": MAX_DISTANCE, "use_bias": True}
            self.attention = RelativeAttention(width, heads, **sizes)
        else:
            rotary = None
            if positions == "rotary":
                rotary = RotaryEncoding(width // heads, **rotation)
            if positions == "scaled":
                rotary = LogLengthScale(**rotation)
            self.attention = MultiHeadAttention(width, heads, rotary=rotary)
        self.norm1 = keras.layers.LayerNormalization(epsilon=EPSILON)
        self.norm2 = keras.layers.LayerNormalization(epsilon=EPSILON)
        self.inner = keras.layers.Dense(4 * width)
        self.outer = keras.layers.Dense(width)

    def call(self, x, *, bias=None, causal=False, need_weights=False):
        options = {"bias": bias, "causal": causal, "need_weights": need_weights}
        attended, weights = self.attention(self.norm1(x), **options)
        x = x + attended
        return x + self.outer(tf.nn.relu(self.inner(self.norm2(x)))), weights


class Blocks(keras.Model):
    """Some blocks, with positions of one kind.

    rotation: options of ``RotaryEncoding``, or of ``LogLengthScale`` where positions
    are "scaled".

    Shapes:
        x (B, T, D) -> (B, T, D), and the weights (B, H, T, T) of the last block.
    """

    def __init__(
        self,
        width,
        heads,
        layers,
        *,
        positions,
        max_length,
        causal=False,
        **rotation,
    ):
        super().__init__()
        self.causal, self.added, self.bias = causal, None, None
        if positions == "sinusoidal":
            self.added = SinusoidalEncoding(width)
        if positions == "learned":
            self.added = LearnedEncoding(max_length, width)
        if positions == "alibi":
            self.bias = AlibiBias(heads)
        if positions == "t5":
            self.bias = RelativeBias(heads, **BUCKETS, bidirectional=not causal)
        self.blocks = [Block(width, heads, positions, rotation) for _ in range(layers)]
        self.norm = keras.layers.LayerNormalization(epsilon=EPSILON)

    def call(self, x, need_weights=False):
        T = x.shape[1]
        if self.added is not None:
            x = self.added(x)
        options = {"causal": self.causal, "need_weights": need_weights}
        options["bias"] = None if self.bias is None else self.bias(T, T)
        for block in self.blocks:
            x, weights = block(x, **options)
        return self.norm(x), weights


class TokenModel(keras.Model):
    """Tokens (B, T) -> logits (B, T, symbols) and the last weights or None."""

    def __init__(self, symbols, width, heads, layers, **kind):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(symbols, width, start)
        self.blocks = Blocks(width, heads, layers, **kind)
        self.output_layer = keras.layers.Dense(symbols)

    def call(self, tokens, need_weights=False):
        x = self.embedding(tokens)
        x, weights = self.blocks(x, need_weights=need_weights)
        return self.output_layer(x), weights


class PatchModel(keras.Model):
    """Patches (B, T, pixels) -> logits (B, 10) of their mean, and None.

    grid: vectors (T, D) that are added to the patches, or None.
    """

    def __init__(self, pixels, width, heads, layers, *, grid=None, **kind):
        super().__init__()
        self.grid = None if grid is None else tf.constant(grid)
        self.input_layer = keras.layers.Dense(width)
        self.blocks = Blocks(width, heads, layers, **kind)
        self.output_layer = keras.layers.Dense(10)

    def call(self, patches):
        x = self.input_layer(patches)
        x, weights = self.blocks(x if self.grid is None else x + self.grid)
        return self.output_layer(tf.reduce_mean(x, axis=1)), weights


def train(model, batches, *, steps, rate, every=50):
    """Train with Adam on the cross-entropy; returns the log of the loss."""
    options = {"steps": steps, "rate": rate, "every": every}
    options |= {"clip": 1.0, "schedule": rate_at}
    return loop.train(model, batches, _loss, **options)


def _loss(model, inputs, targets):
    logits, _ = model(inputs)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return tf.reduce_mean(each)


def score(model, inputs, targets):
    """The cross-entropy in bits, and whether the guess is right; as the targets."""
    logits, _ = model(tf.constant(inputs))
    nats = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    guess = tf.argmax(logits, axis=-1)
    return (nats / tf.math.log(2.0)).numpy(), guess.numpy() == targets
