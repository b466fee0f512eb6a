"""The models of ``attn_course.course.labs.positions`` in TensorFlow."""

from functools import partial

from attn_course.core.frameworks import keras
from attn_course.course.labs import positions
from attn_course.course.labs.positions import BUCKETS, MAX_DISTANCE, rate_at
from attn_course.course.labs.tf import Model
from attn_course.course.training import tf as loop
from attn_course.tf import (
    AlibiBias,
    Encoder,
    LearnedEncoding,
    LogLengthScale,
    MultiHeadAttention,
    RelativeAttention,
    RelativeBias,
    RotaryEncoding,
    SinusoidalEncoding,
)


def make_attention(width, heads, positions, rotation):
    """The attention of a layer; some kinds of positions act within it."""
    if positions == "shaw":
        sizes = {"max_distance": MAX_DISTANCE, "use_bias": True}
        return RelativeAttention(width, heads, **sizes)
    rotary = None
    if positions == "rotary":
        rotary = RotaryEncoding(width // heads, **rotation)
    if positions == "scaled":
        rotary = LogLengthScale(**rotation)
    return MultiHeadAttention(width, heads, rotary=rotary)


class Blocks(keras.Model):
    """An ``Encoder``, pre-norm, that knows positions of one kind.

    rotation: options of ``RotaryEncoding``, or of ``LogLengthScale`` where positions
    are "scaled".

    Shapes:
        x (B, T, D) -> (B, T, D), and the weights (B, H, T, T) of the last layer.
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

        def attention(number):
            return make_attention(width, heads, positions, rotation)

        sizes = layers, width, heads, 4 * width
        self.encoder = Encoder(*sizes, norm="pre", attention=attention)

    def call(self, x, need_weights=False):
        T = x.shape[1]
        x = x if self.added is None else self.added(x)
        options = {"causal": self.causal, "need_weights": need_weights}
        options["bias"] = None if self.bias is None else self.bias(T, T)
        x, weights = self.encoder(x, **options)
        return x, weights[-1]


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


class PatchModel(positions.PatchModel, Model):
    make_blocks = Blocks


def train(model, batches, *, steps, rate, every=50):
    """Train with Adam on the cross-entropy; returns the log of the loss."""
    options = {"steps": steps, "rate": rate, "every": every}
    options |= {"clip": 1.0, "schedule": rate_at}
    return loop.train(model, batches, _loss, **options)


def _loss(model, inputs, targets):
    return loop.class_loss(model(inputs)[0], targets)


score = partial(positions.score, loop)
