"""Small models that differ only in the pattern that their attention sees.

``patterns.pytorch`` and ``patterns.tf`` have the model: an encoder, causal, over bytes
of text or over the pixels of digits, row by row. All patterns of a data set see a like
number of pairs, but for dense attention, which sees all; two layers of any but the
window connect every position with all before it.

python -m experiments.patterns --seeds 0 1 2
"""

import numpy as np

from attn_course.core import masks
from attn_course.tasks.digits import load_digits
from attn_course.tasks.topics import load_topics

LAYERS = {
    "dense": "MultiHeadAttention",
    "window": "SlidingWindowAttention",
    "strided": "StridedAttention",
    "fixed": "FixedAttention",
}
KINDS = tuple(LAYERS)
SIZES = {"width": 64, "heads": 4, "layers": 2}
RATE = 3e-3
TESTED = 12_288  # bytes that are predicted, the same ones by every model
# The stride is a line of an image; on text it is the root of the length.
DATA = {
    "text": {"symbols": 256, "length": 256, "batch": 4, "steps": 700},
    "digits": {"symbols": 18, "length": 64, "batch": 16, "steps": 400},
}
PATTERNS = {
    "text": {
        "window": {"window": 32},
        "strided": {"stride": 16},
        "fixed": {"stride": 16, "summary": 4},
    },
    "digits": {
        "window": {"window": 12},
        "strided": {"stride": 8},
        "fixed": {"stride": 8, "summary": 2},
    },
}


class PatternModel:
    """Symbols (B, T) -> logits (B, T, symbols) of the next one, and None.

    kind: a name in ``LAYERS``; sizes: what that layer wants. A learned vector says
    where a symbol stands (so where its block begins), the rotation how far it is.
    """

    def __init__(self, symbols, width, heads, layers, *, length, kind, **sizes):
        super().__init__()
        self.embedding = self.table(symbols, width)
        self.positions = self.face.LearnedEncoding(length, width)

        def attention(number):
            rotary = self.face.RotaryEncoding(width // heads)
            return getattr(self.face, LAYERS[kind])(
                width, heads, rotary=rotary, **sizes
            )

        self.encoder = self.face.Encoder(
            layers, width, heads, 4 * width, norm="pre", attention=attention
        )
        self.logits = self.linear(width, symbols)

    def call(self, tokens):
        x = self.positions(self.embedding(tokens))
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x), None


def mask_of(data, kind, length=None):
    """The mask (T, T) of a pattern, causal."""
    T = length or DATA[data]["length"]
    if kind == "dense":
        return masks.causal_mask(T, T)
    make = {"window": masks.sliding_window_mask, "strided": masks.strided_mask}
    make |= {"fixed": masks.fixed_mask}
    return make[kind](T, T, **PATTERNS[data][kind], causal=True)


def raster(split):
    """Digits as gray levels 0 to 16 in reading order, behind a sign to begin with."""
    levels = (load_digits(split).images.reshape(-1, 64) * 16).round().astype(np.int64)
    begin = np.full((len(levels), 1), 17)
    return np.concatenate([begin, levels], axis=1)


def batches(data, *, seed):
    """Endless batches: symbols (B, T), and at every position the one that follows."""
    rng, sizes = np.random.default_rng(seed), DATA[data]
    shape, T = (sizes["batch"], 1), sizes["length"]
    text = load_topics("train") if data == "text" else None
    images = raster("train") if data == "digits" else None
    while True:
        if data == "text":
            drawn = text[rng.integers(len(text) - T, size=shape) + np.arange(T + 1)]
        else:
            drawn = images[rng.integers(len(images), size=shape[0])]
        yield drawn[:, :-1], drawn[:, 1:]


def tests(data):
    """What is tested: symbols (n, T), those that follow, and how many at the end count.

    Bytes count in the second half of a window, where each has a past of at least 128.
    """
    if data == "digits":
        images = raster("test")
        return images[:, :-1], images[:, 1:], 64
    T, text = DATA["text"]["length"], load_topics("test")
    counted = T // 2
    rows = np.arange(0, TESTED, counted)[:, None] + np.arange(T + 1)
    return text[rows[:, :-1]], text[rows[:, 1:]], counted


def evaluate(score, model, inputs, targets, counted, at_once=16):
    """Mean bits of a symbol, and the share of symbols that are guessed right.

    score: of ``patterns`` or ``positions``, in either framework; counted: how many at
    the end of a window.
    """
    found = [
        score(model, inputs[i : i + at_once], targets[i : i + at_once])
        for i in range(0, len(inputs), at_once)
    ]
    bits, right = (
        np.concatenate(part)[:, -counted:] for part in zip(*found, strict=True)
    )
    return float(bits.mean()), float(right.mean())
