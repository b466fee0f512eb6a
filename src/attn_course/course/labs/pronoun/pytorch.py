"""The reader of sentences in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.pronoun import BATCH, RATE, SPREAD, WIDTH
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import SelfAttention, scaled_dot_product_attention
from attn_course.tasks.pronoun import IT, WORDS, batches


class Reader(torch.nn.Module):
    """Two layers of self-attention; the second copies words.

    Shapes:
        words (B, T) -> shares (B, T, len(WORDS)), weights, two of (B, T, T).
    """

    def __init__(self, mask, *, residual=True):
        super().__init__()
        self.embedding = torch.nn.Embedding(len(WORDS), WIDTH)
        torch.nn.init.normal_(self.embedding.weight, std=SPREAD)
        self.first = SelfAttention(WIDTH, key_dim=WIDTH, value_dim=WIDTH)
        self.query = torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.mask, self.residual = mask, residual

    def forward(self, words):
        x = self.embedding(words)
        mixed, first = self.first(x, self.mask)
        x = x + mixed if self.residual else mixed
        names = torch.nn.functional.one_hot(words, len(WORDS)).to(x.dtype)
        query, key = self.query(x), self.key(x)
        copied, second = scaled_dot_product_attention(query, key, names)
        return copied, (first, second)


def train(model, *, steps, seed=0, every=20):
    """Train with Adam on the share that the right word gets; returns the log."""
    data = batches(BATCH, seed=seed)
    return loop.train(model, data, _loss, steps=steps, rate=RATE, every=every)


def _loss(model, words, answer):
    copied, _ = model(words)
    return -copied[:, IT].gather(1, answer[:, None]).log().mean()


@torch.no_grad()
def guess(model, words):
    """What "it" copies most, as a place in `WORDS` (B), and the weights."""
    copied, weights = model(torch.from_numpy(words))
    return copied[:, IT].argmax(dim=-1).numpy(), [w.numpy() for w in weights]
