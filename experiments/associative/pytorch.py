"""The models of ``experiments.associative`` in PyTorch."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.mechanisms.delta_rule.pytorch import unit
from attn_course.pytorch import (
    AlibiBias,
    DeltaRuleAttention,
    LinearAttention,
    MultiHeadAttention,
    linear_attention,
)
from experiments.associative import (
    BATCH,
    MODEL_DIM,
    PAIRS,
    RATE,
    RECENT,
    TESTED,
    VALUE_DIM,
    rate_at,
)
from experiments.tasks.recall import NAMES, UNKNOWN, VALUES, recall


def attention(memory, key_dim):
    """The layer that remembers; of softmax with ALiBi four heads, else one."""
    sizes = {"key_dim": key_dim, "value_dim": VALUE_DIM}
    if memory.startswith("softmax"):
        return MultiHeadAttention(MODEL_DIM, 4 if "ALiBi" in memory else 1, **sizes)
    if memory == "elu":
        return LinearAttention(MODEL_DIM, 1, **sizes)
    if memory == "additive":
        return Additive(MODEL_DIM, 1, **sizes)
    decay = "learned" if memory == "gated delta" else None
    return DeltaRuleAttention(MODEL_DIM, 1, decay=decay, **sizes)


class Additive(DeltaRuleAttention):
    """The delta rule without its correction: S_t = S_{t-1} + beta_t k_t v_t^T."""

    def attend(self, query, key, value, mask, *, beta, **options):
        query, key, value = unit(query), unit(key), beta[..., None] * value
        as_they_are = {"feature_map": "identity", "normalize": False}
        return linear_attention(query, key, value, mask, causal=True, **as_they_are)


class Memory(torch.nn.Module):
    """Names and values (B, T) -> logits (B, T, VALUES)."""

    def __init__(self, memory, key_dim):
        super().__init__()
        self.name = torch.nn.Embedding(NAMES, MODEL_DIM)
        self.value = torch.nn.Embedding(UNKNOWN + 1, MODEL_DIM)
        self.attention = attention(memory, key_dim)
        self.bias = AlibiBias(4) if "ALiBi" in memory else None
        self.output = torch.nn.Linear(MODEL_DIM, VALUES)

    def forward(self, names, values):
        x = self.name(names) + self.value(values)
        options = {"causal": True, "need_weights": False}
        if self.bias is not None:
            options["bias"] = self.bias(x.shape[1], x.shape[1])
        found, _ = self.attention(x, **options)
        return self.output(found)


def train(model, *, steps, times=1, seed=0, pairs=PAIRS, every=50):
    """Train with Adam on the cross-entropy; returns the log: loss, share right."""
    data = recall(BATCH, pairs=pairs, times=times, seed=seed)
    options = {"steps": steps, "rate": RATE, "every": every, "schedule": rate_at}
    return loop.train(model, data, _loss, clip=1.0, **options)


def _loss(model, names, values, answer, old):
    logits = model(names, values)[:, -answer.shape[1] :]
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), answer.flatten())
    return loss, (logits.argmax(dim=-1) == answer).float().mean()


@torch.no_grad()
def test(model, *, pairs, times=1):
    """The shares of answers that are right, the first value written, right if recent.

    Recent are the last RECENT names that were written.
    """
    data = recall(BATCH, pairs=pairs, times=times, seed=1000)
    found = []
    for batch, _ in zip(data, range(TESTED), strict=False):
        names, values, answer, old = map(torch.from_numpy, batch)
        count = answer.shape[1]
        guess = model(names, values)[:, -count:].argmax(dim=-1)
        recent = names[:, -count - RECENT : -count]
        recent = (names[:, -count:, None] == recent[:, None]).any(dim=-1)
        right = (guess == answer).double()
        late = (right * recent).sum() / recent.sum()
        first = (guess == old).double()
        found.append([right.mean().item(), first.mean().item(), late.item()])
    return np.mean(found, axis=0).round(4).tolist()
