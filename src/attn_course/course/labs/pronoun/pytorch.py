"""The reader of sentences in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.labs import pronoun
from attn_course.course.labs.pronoun import SPREAD, guess as guess, train as train
from attn_course.course.labs.pytorch import Model
from attn_course.tasks.pronoun import IT, WORDS


class Reader(pronoun.Reader, Model):
    def table(self, rows, width):
        """Smaller numbers than usual."""
        made = super().table(rows, width)
        torch.nn.init.normal_(made.weight, std=SPREAD)
        return made

    def one_hot(self, words, dtype):
        """The words themselves: 1 at their place in `WORDS`."""
        return torch.nn.functional.one_hot(words, len(WORDS)).to(dtype)

    def loss_of(self, words, answer):
        """How unlikely the right word is."""
        copied, _ = self(words)
        return -copied[:, IT].gather(1, answer[:, None]).log().mean()
