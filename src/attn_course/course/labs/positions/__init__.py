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


def score(loop, model, inputs, targets):
    """The cross-entropy in bits, and whether the guess is right; as the targets.

    loop: ``attn_course.course.training.pytorch`` or ``.tf``.
    """
    logits, nats = loop.guessed(model, inputs, targets)
    return nats / math.log(2), logits.argmax(axis=-1) == targets
