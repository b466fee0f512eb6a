"""The writer of digits in PyTorch."""

import math

from attn_course.core.frameworks import torch
from attn_course.course.labs.pixels import (
    HEADS,
    LAYERS,
    LENGTH,
    LEVELS,
    RATE,
    WIDTH,
    batches,
    levels,
    rate_at,
    shifted,
)
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import (
    Encoder,
    LearnedEncoding,
    LinearAttention,
    linear_attention_step,
    merge_heads,
    split_heads,
)


class Writer(torch.nn.Module):
    """Pre-norm blocks over pixels, causal, with linear or softmax attention.

    Shapes:
        pixels (B, T) -> logits (B, T, LEVELS).
    """

    def __init__(self, attention="linear"):
        super().__init__()
        made = None
        if attention == "linear":
            made = lambda layer: LinearAttention(WIDTH, HEADS)  # noqa: E731
        self.embedding = torch.nn.Embedding(LEVELS + 1, WIDTH)
        self.position = LearnedEncoding(LENGTH, WIDTH)
        sizes = (LAYERS, WIDTH, HEADS, 4 * WIDTH)
        self.blocks = Encoder(*sizes, norm="pre", attention=made)
        self.output = torch.nn.Linear(WIDTH, LEVELS)

    def forward(self, pixels):
        x = self.position(self.embedding(pixels))
        x, _ = self.blocks(x, causal=True, need_weights=False)
        return self.output(x)

    def step(self, state, pixel, position):
        """One pixel (B): logits (B, LEVELS) and the states of all layers."""
        x = self.embedding(pixel)[:, None]
        x, states = self.position(x, first_position=position), []
        for layer, old in zip(
            self.blocks.layers, state or [None] * LAYERS, strict=True
        ):
            own, inner = layer.attention, layer.norm1(x)
            heads = (
                split_heads(part(inner), HEADS)
                for part in (own.query, own.key, own.value)
            )
            found, new = linear_attention_step(old, *heads)
            x = x + own.output(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
            states.append(new)
        return self.output(self.blocks.final_norm(x))[:, 0], states


def train(model, digits, *, steps, seed=0, every=50):
    """Train with Adam on the cross-entropy; returns the log of the loss."""
    options = {"steps": steps, "rate": RATE, "every": every, "schedule": rate_at}
    return loop.train(model, batches(digits, seed=seed), _loss, clip=1.0, **options)


def _loss(model, pixels, targets):
    logits = model(pixels)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


@torch.no_grad()
def score(model, digits):
    """Mean bits per pixel, and the share of pixels whose likeliest level is right."""
    pixels = levels(digits)
    logits, wanted = model(torch.from_numpy(shifted(pixels))), torch.from_numpy(pixels)
    nats = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
    right = (logits.argmax(dim=-1) == wanted).double().mean()
    return nats.item() / math.log(2), right.item()


@torch.no_grad()
def step(model, state, pixel, position):
    """For ``write``: probabilities (B, LEVELS) of NumPy, and the next state."""
    logits, state = model.step(state, torch.from_numpy(pixel), position)
    return logits.softmax(dim=-1).numpy(), state
