"""The look-up model and the date model in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.heads import (
    HEADS,
    LAYERS,
    LOOK_UP_BATCH,
    MODEL_DIM,
    RATE,
    hidden,
)
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import MultiHeadAttention, RotaryEncoding
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


class DateModel(torch.nn.Module):
    """Layers of attention alone, each added to what came before it.

    Shapes:
        tokens (B, T), mask (B, T), head_masks: one (H) or (B, H) a layer
        -> logits (B, T, N), weights: one (B, H, T, T) or None a layer.
    """

    def __init__(self, vocab_size):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocab_size, MODEL_DIM)
        self.norms = torch.nn.ModuleList(
            torch.nn.LayerNorm(MODEL_DIM) for _ in range(LAYERS)
        )
        # Positions: each query and key is turned by an angle (chapter 7).
        self.attentions = torch.nn.ModuleList(
            MultiHeadAttention(
                MODEL_DIM, HEADS, rotary=RotaryEncoding(MODEL_DIM // HEADS)
            )
            for _ in range(LAYERS)
        )
        self.final_norm = torch.nn.LayerNorm(MODEL_DIM)
        self.output = torch.nn.Linear(MODEL_DIM, vocab_size)

    def forward(self, tokens, mask, head_masks=None, need_weights=False):
        x, padding = self.embedding(tokens), mask[:, None, None]
        head_masks = [None] * LAYERS if head_masks is None else head_masks
        maps = []
        for norm, attention, heads in zip(
            self.norms, self.attentions, head_masks, strict=True
        ):
            options = {"head_mask": heads, "need_weights": need_weights}
            found, weights = attention(norm(x), mask=padding, **options)
            x = x + found
            maps.append(weights)
        return self.output(self.final_norm(x)), tuple(maps)


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


@torch.no_grad()
def fill_in(model, tokens, mask, need_weights=False):
    """The likeliest characters (B, T), and the weights of every layer, as arrays."""
    given = map(torch.from_numpy, (tokens, mask))
    logits, maps = model(*given, need_weights=need_weights)
    found = logits.argmax(dim=-1).numpy()
    return found, [x.numpy() for x in maps] if need_weights else None
