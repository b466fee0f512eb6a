"""The model of ``experiments.taming`` in PyTorch."""

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.training.pytorch import train as train
from experiments.taming import CAP, make_stack


class Watched(torch.nn.Module):
    """Another softmax, and the largest score that it was given."""

    def __init__(self, kind):
        super().__init__()
        self.softmax = pytorch.CappedSoftmax(CAP) if kind == "cap" else None
        self.largest = 0.0

    def forward(self, score, mask=None):
        self.largest = score.detach().abs().max()
        if self.softmax is not None:
            return self.softmax(score, mask)
        return torch.softmax(score.masked_fill(~mask, -torch.inf), dim=-1)


class Model(torch.nn.Module):
    """Bytes (B, T) -> logits (B, T, 256): two layers, pre-norm, with RoPE."""

    def __init__(self, width, kind):
        super().__init__()
        self.watched = torch.nn.ModuleList(Watched(kind) for _ in range(2))
        self.embedding = torch.nn.Embedding(256, width)
        self.output = torch.nn.Linear(width, 256)
        self.encoder = make_stack(pytorch, width, kind, self.watched)

    def forward(self, tokens):
        return self.output(self.encoder(self.embedding(tokens), causal=True)[0])

    def largest(self):
        return max(part.largest for part in self.watched)


def loss(model, tokens, targets):
    """The cross-entropy of the next byte, and the largest score."""
    logits = model(tokens).flatten(0, 1)
    found = torch.nn.functional.cross_entropy(logits, targets.flatten())
    return found, model.largest()
