"""The models of ``attn_course.course.labs.patterns`` in PyTorch."""

from attn_course import pytorch as attn
from attn_course.core.frameworks import torch
from attn_course.course.labs.positions.pytorch import score, train

__all__ = ["PatternModel", "score", "train"]

LAYERS = {
    "dense": attn.MultiHeadAttention,
    "window": attn.SlidingWindowAttention,
    "strided": attn.StridedAttention,
    "fixed": attn.FixedAttention,
}


class PatternModel(torch.nn.Module):
    """Symbols (B, T) -> logits (B, T, symbols) of the next one, and None.

    kind: a name in ``LAYERS``; sizes: what that layer wants. A learned vector says
    where a symbol stands (so where its block begins), the rotation how far it is.
    """

    def __init__(self, symbols, width, heads, layers, *, length, kind, **sizes):
        super().__init__()
        self.embedding = torch.nn.Embedding(symbols, width)
        self.positions = attn.LearnedEncoding(length, width)

        def attention(number):
            rotary = attn.RotaryEncoding(width // heads)
            return LAYERS[kind](width, heads, rotary=rotary, **sizes)

        self.encoder = attn.Encoder(
            layers, width, heads, 4 * width, norm="pre", attention=attention
        )
        self.output = torch.nn.Linear(width, symbols)

    def forward(self, tokens):
        x = self.positions(self.embedding(tokens))
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.output(x), None
