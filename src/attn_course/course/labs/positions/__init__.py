"""Small models that differ only in how they know positions.

``positions.pytorch`` and ``positions.tf``: an ``Encoder`` of pre-norm layers, over
tokens or over the patches of an image. ``length``, ``longer`` and ``patches`` train
them; in chapter 7 one writes words backwards.
"""

import math

from attn_course.course.training import ramped

POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "t5", "shaw")
# All distances from 32 on share a bucket, so windows of 64 train every bucket.
BUCKETS = {"num_buckets": 16, "max_distance": 32}
MAX_DISTANCE = 16  # Shaw's k


def rate_at(step, steps, rate):
    """The learning rate of a step: it rises for a tenth of the steps, then falls."""
    return ramped(step, steps, rate, steps / 10, 0.9 * steps + 1)


def make_attention(face, width, heads, positions, rotation):
    """The attention of a layer; some kinds of positions act within it."""
    if positions == "shaw":
        sizes = {"max_distance": MAX_DISTANCE, "use_bias": True}
        return face.RelativeAttention(width, heads, **sizes)
    rotary = None
    if positions == "rotary":
        rotary = face.RotaryEncoding(width // heads, **rotation)
    if positions == "scaled":
        rotary = face.LogLengthScale(**rotation)
    return face.MultiHeadAttention(width, heads, rotary=rotary)


class Blocks:
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
            self.added = self.face.SinusoidalEncoding(width)
        if positions == "learned":
            self.added = self.face.LearnedEncoding(max_length, width)
        if positions == "alibi":
            self.bias = self.face.AlibiBias(heads)
        if positions == "t5":
            sizes = {**BUCKETS, "bidirectional": not causal}
            self.bias = self.face.RelativeBias(heads, **sizes)

        def attention(number):
            return make_attention(self.face, width, heads, positions, rotation)

        sizes = layers, width, heads, 4 * width
        self.encoder = self.make_encoder(*sizes, norm="pre", attention=attention)

    def make_encoder(self, *sizes, **options):
        """The layers with their first weights."""
        return self.face.Encoder(*sizes, **options)

    def call(self, x, need_weights=False):
        T = x.shape[1]
        x = x if self.added is None else self.added(x)
        options = {"causal": self.causal, "need_weights": need_weights}
        options["bias"] = None if self.bias is None else self.bias(T, T)
        x, weights = self.encoder(x, **options)
        return x, weights[-1]


class TokenModel:
    """Tokens (B, T) -> logits (B, T, symbols) and the last weights or None."""

    def __init__(self, symbols, width, heads, layers, **kind):
        super().__init__()
        self.embedding = self.table(symbols, width)
        self.blocks = self.make_blocks(width, heads, layers, **kind)
        self.logits = self.linear(width, symbols)

    def call(self, tokens, need_weights=False):
        x = self.embedding(tokens)
        x, weights = self.blocks(x, need_weights=need_weights)
        return self.logits(x), weights


class PatchModel:
    """Patches (B, T, pixels) -> logits (B, 10) of their mean, and None.

    grid: vectors (T, D) that are added to the patches, or None.
    """

    def __init__(self, pixels, width, heads, layers, *, grid=None, **kind):
        super().__init__()
        self.grid = None if grid is None else self.tensor(grid)
        self.patch = self.linear(pixels, width)
        self.blocks = self.make_blocks(width, heads, layers, **kind)
        self.logits = self.linear(width, 10)

    def call(self, patches):
        x = self.patch(patches)
        x, weights = self.blocks(x if self.grid is None else x + self.grid)
        return self.logits(self.mean(x, 1)), weights


def train(loop, model, batches, *, steps, rate, every=50):
    """Train with Adam on the cross-entropy; returns the log of the loss.

    loop: ``attn_course.course.training.pytorch`` or ``.tf``.
    """

    def loss(model, inputs, targets):
        return loop.class_loss(model(inputs)[0], targets)

    options = {"steps": steps, "rate": rate, "every": every}
    options |= {"clip": 1.0, "schedule": rate_at}
    return loop.train(model, batches, loss, **options)


def score(loop, model, inputs, targets):
    """The cross-entropy in bits, and whether the guess is right; as the targets."""
    logits, nats = loop.guessed(model, inputs, targets)
    return nats / math.log(2), logits.argmax(axis=-1) == targets
