"""The look-up model and the date model in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.labs import heads
from attn_course.course.labs.heads import (
    LOOK_UP_BATCH,
    MODEL_DIM,
    RATE,
    fill_in as fill_in,
    hidden,
)
from attn_course.course.labs.pytorch import Model
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import MultiHeadAttention
from attn_course.tasks.look_up import (
    ASKED,
    SEVERAL_NAMES,
    SEVERAL_VALUES,
    several_look_ups,
)
from attn_course.tasks.text import PAD


class LookUpModel(torch.nn.Module):
    """Answers a question for several names with one multi-head attention.

    Shapes:
        names (B, S), values (B, S), asked (B, A) -> logits (B, A, values),
        weights (B, num_heads, 1, S) or None.
    """

    def __init__(self, num_heads, num_asked=ASKED):
        super().__init__()
        self.names = torch.nn.Embedding(SEVERAL_NAMES, MODEL_DIM)
        self.values = torch.nn.Embedding(SEVERAL_VALUES, MODEL_DIM)
        # One vector a name for each place in the question.
        self.asked = torch.nn.Embedding(num_asked * SEVERAL_NAMES, MODEL_DIM)
        self.attention = MultiHeadAttention(MODEL_DIM, num_heads)
        self.output = torch.nn.Linear(MODEL_DIM, num_asked * SEVERAL_VALUES)

    def forward(self, names, values, asked, head_mask=None, need_weights=False):
        places = SEVERAL_NAMES * torch.arange(asked.shape[1], device=asked.device)
        question = self.asked(asked + places).sum(dim=1, keepdim=True)
        memory = self.names(names) + self.values(values)
        options = {"head_mask": head_mask, "need_weights": need_weights}
        found, weights = self.attention(question, memory, **options)
        logits = self.output(found[:, 0])
        return logits.unflatten(-1, (-1, SEVERAL_VALUES)), weights


def train_look_up(model, *, steps, seed=0, every=100, asked=ASKED):
    """Train with Adam; returns the share of right values, of every 100 steps."""
    questions = several_look_ups(LOOK_UP_BATCH, seed=seed, asked=asked)
    options = {"steps": steps, "rate": RATE, "every": every}
    return [line.score for line in loop.train(model, questions, _right, **options)]


def _right(model, names, values, asked, answer):
    """The cross-entropy, and the share of right values."""
    return loop.scored(model(names, values, asked)[0], answer)


class DateModel(heads.DateModel, Model):
    pass


def losses(model, tokens, mask, missing, head_masks=None):
    """The sum of the cross-entropy over the hidden characters of each row: (B)."""
    logits, _ = model(tokens, mask, head_masks)
    each = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2), missing.long(), ignore_index=PAD, reduction="none"
    )
    return each.sum(dim=1)


def train(model, batches, *, steps, seed=0, every=50):
    """Train with Adam to fill in hidden characters; returns the log of the loss."""
    data = hidden(batches, seed=seed)
    return loop.train(model, data, _mean_loss, steps=steps, rate=RATE, every=every)


def _mean_loss(model, tokens, mask, missing):
    return losses(model, tokens, mask, missing).sum() / (missing != PAD).sum()
