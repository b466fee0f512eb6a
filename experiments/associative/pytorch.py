"""The model of ``experiments.associative`` in PyTorch."""

from attn_course import pytorch as face
from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.mechanisms.delta_rule.pytorch import unit
from experiments.associative import MODEL_DIM, attention
from experiments.tasks.recall import NAMES, UNKNOWN, VALUES

__all__ = ["Memory", "guess", "loop", "loss"]


class Memory(torch.nn.Module):
    """Names and values (B, T) -> logits (B, T, VALUES)."""

    def __init__(self, memory, key_dim):
        super().__init__()
        self.name = torch.nn.Embedding(NAMES, MODEL_DIM)
        self.value = torch.nn.Embedding(UNKNOWN + 1, MODEL_DIM)
        self.attention = attention(face, unit, memory, key_dim)
        self.bias = face.AlibiBias(4) if "ALiBi" in memory else None
        self.output = torch.nn.Linear(MODEL_DIM, VALUES)

    def forward(self, names, values):
        x = self.name(names) + self.value(values)
        options = {"causal": True, "need_weights": False}
        if self.bias is not None:
            options["bias"] = self.bias(x.shape[1], x.shape[1])
        found, _ = self.attention(x, **options)
        return self.output(found)


def loss(model, names, values, answer, old):
    """The cross-entropy of what is asked for, and the share that is right."""
    logits = model(names, values)[:, -answer.shape[1] :]
    cost = torch.nn.functional.cross_entropy(logits.flatten(0, 1), answer.flatten())
    return cost, (logits.argmax(dim=-1) == answer).float().mean()


@torch.no_grad()
def guess(model, names, values):
    """The likeliest values (B, T)."""
    logits = model(torch.from_numpy(names), torch.from_numpy(values))
    return logits.argmax(dim=-1).numpy()
