"""The model of ``experiments.mixes`` in PyTorch."""

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.training.pytorch import train as train
from experiments.mixes import ASK, KEYS, WIDTH, make_stack


class Model(torch.nn.Module):
    """Symbols (B, T) -> logits (B, T, keys)."""

    def __init__(self, mix):
        super().__init__()
        self.embedding = torch.nn.Embedding(ASK + 1, WIDTH)
        self.output = torch.nn.Linear(WIDTH, KEYS)
        self.encoder = make_stack(pytorch, mix)

    def forward(self, tokens):
        x, _ = self.encoder(self.embedding(tokens), causal=True, need_weights=False)
        return self.output(x)


def loss(model, tokens, wanted):
    """The cross-entropy of the keys that are asked for."""
    logits = model(tokens).flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, wanted.flatten(), ignore_index=-1)


@torch.no_grad()
def guess(model, tokens):
    """The likeliest keys (B) at the last position."""
    return model(torch.from_numpy(tokens))[:, -1].argmax(dim=-1).numpy()
