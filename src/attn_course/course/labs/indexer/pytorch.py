"""The language model layer by layer, and its indexers' training, in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import make_linear
from attn_course.course.labs.indexer import INDEX_DIM, RATE, STEPS, batches, read_layers
from attn_course.course.labs.positions import rate_at
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import RotaryEncoding, index_loss, index_scores, split_heads
from attn_course.tasks import glassllm


@torch.no_grad()
def read(model, tokens, choose=None):
    """``read_layers`` of this framework's model."""
    return read_layers(model, tokens, choose, torch.from_numpy)


class Indexer(torch.nn.Module):
    """(B, T, D) -> the score of every key for every query (B, T, T)."""

    def __init__(self, heads):
        super().__init__()
        D, self.heads = glassllm.SIZES["model_dim"], heads
        self.query = make_linear(D, heads * INDEX_DIM, use_bias=False)
        self.key = make_linear(D, INDEX_DIM, use_bias=False)
        self.weight = make_linear(D, heads, use_bias=False)
        self.rotary = RotaryEncoding(INDEX_DIM)

    def forward(self, x):
        query = split_heads(self.query(x), self.heads)
        query, key = self.rotary(query, self.key(x)[:, None])
        return index_scores(query, key[:, 0], self.weight(x))


def loss(indexer, x, weights):
    """How far its scores are from what the heads attended to."""
    return index_loss(indexer(x), weights, causal=True)


def train(indexer, x, weights, steps=STEPS, seed=0):
    """Train by ``index_loss``; x (N, T, D), weights (N, H, T, T). Returns the log."""
    options = {"steps": steps, "rate": RATE, "schedule": rate_at}
    return loop.train(indexer, batches(x, weights, seed), loss, **options)


@torch.no_grad()
def scores(indexer, x):
    """The score of every key for every query, (B, T, D) -> (B, T, T), NumPy."""
    return indexer(torch.from_numpy(x)).numpy()
