"""The model of ``attn_course.course.labs.one_layer`` in PyTorch."""

from functools import partial

from attn_course import pytorch as face
from attn_course.core.frameworks import torch
from attn_course.course.labs import one_layer
from attn_course.course.labs.positions import rate_at
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import EncoderLayer

make_attention = partial(one_layer.make_attention, face)


class Echo(torch.nn.Module):
    """Tokens (B, T) -> logits (B, T, symbols), and the weights (B, 1, T, T)."""

    def __init__(self, symbols, width, kind="plain"):
        super().__init__()
        self.embedding = torch.nn.Embedding(symbols, width)
        attention = make_attention(kind, width)
        options = {"norm": "pre", "attention": attention}
        self.layer = EncoderLayer(width, 1, 4 * width, **options)
        self.output = torch.nn.Linear(width, symbols)

    def forward(self, tokens, mask=None):
        x = self.embedding(tokens)
        x, weights = self.layer(x, mask=mask, causal=True)
        return self.output(x), weights

    def added(self, tokens, mask=None):
        """The length (B, T) of what the attention adds to each position."""
        x = self.layer.norm1(self.embedding(tokens))
        found, _ = self.layer.attention(x, mask=mask, causal=True)
        return found.norm(dim=-1)


def train(kind, seed, steps=one_layer.STEPS):
    """A trained model of one kind."""
    torch.manual_seed(seed)
    model = Echo(**one_layer.SIZES, kind=kind)
    options = {"rate": one_layer.RATE, "clip": 1.0, "schedule": rate_at}
    loop.train(model, one_layer.batches(seed), loss, steps=steps, **options)
    return model


def loss(model, tokens, targets):
    """The cross-entropy of the next symbol."""
    return loop.class_loss(model(tokens)[0], targets)


measured = partial(one_layer.measured, loop)
