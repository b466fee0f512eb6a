"""The players of the game of pairs in PyTorch."""

from functools import partial

from attn_course.core.frameworks import torch
from attn_course.course.labs import pairs
from attn_course.course.labs.pairs import MODEL_DIM, STATE_DIM, may_see
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import SelfAttention
from attn_course.tasks.pairs import ANIMALS, NUMBERS


class Player(torch.nn.Module):
    """One head of self-attention, or a GRU, over the cards; a residual; a linear map.

    Shapes:
        animals, numbers (B, T) -> logits (B, T, NUMBERS), weights (B, T, T) or None.
    """

    def __init__(self, reader):
        super().__init__()
        self.animal = torch.nn.Embedding(len(ANIMALS), MODEL_DIM)
        self.number = torch.nn.Embedding(NUMBERS, MODEL_DIM)
        self.mask = self.attention = None
        if reader == "gru":
            options = {"batch_first": True, "bidirectional": True}
            self.gru = torch.nn.GRU(MODEL_DIM, STATE_DIM, **options)
            self.merge = torch.nn.Linear(2 * STATE_DIM, MODEL_DIM)
        else:
            sizes = {"key_dim": MODEL_DIM, "value_dim": MODEL_DIM}
            self.attention = SelfAttention(MODEL_DIM, **sizes)
            self.mask = may_see(reader)
        self.output = torch.nn.Linear(MODEL_DIM, NUMBERS)

    def forward(self, animals, numbers):
        x = self.animal(animals) + self.number(numbers)
        if self.attention is None:
            mixed, weights = self.merge(self.gru(x)[0]), None
        else:
            mixed, weights = self.attention(x, self.mask)
        return self.output(x + mixed), weights


train, guess = (partial(each, loop) for each in (pairs.train, pairs.guess))
