"""What the norm's place does to sizes, gradients and training, in PyTorch."""

import math

from attn_course.core.frameworks import torch
from attn_course.course.labs.norms import (
    BATCH,
    FF_DIM,
    HEADS,
    LAYERS,
    LENGTH,
    MODEL_DIM,
    STEPS,
)
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import Encoder, sinusoidal_encoding
from attn_course.tasks.topics import load_topics


def last_gradient(norm, depth, seed):
    """The size of the last layer's gradient, at the start, for random labels.

    The paper's setting: all matrices as wide as the model; the loss is a cross-entropy
    after one more linear map; the gradient is that of the network's second matrix.
    """
    torch.manual_seed(seed)
    width = 64
    encoder = Encoder(depth, width, 1, width, norm=norm)
    logits = torch.nn.Linear(width, width, bias=False)
    torch.nn.init.xavier_normal_(logits.weight)
    x, labels = torch.randn(16, 8, width), torch.randint(width, (16 * 8,))
    output, _ = encoder(x, need_weights=False)
    loss = torch.nn.functional.cross_entropy(logits(output).flatten(0, 1), labels)
    matrix = encoder.layers[-1].feed_forward.outer.weight
    return torch.autograd.grad(loss, matrix)[0].norm().item()


class ByteModel(torch.nn.Module):
    """A deep stack that predicts the next byte: tokens (B, T) -> logits (B, T, 256)."""

    def __init__(self, norm):
        super().__init__()
        self.embedding = torch.nn.Embedding(256, MODEL_DIM)
        self.encoder = Encoder(LAYERS, MODEL_DIM, HEADS, FF_DIM, norm=norm)
        self.logits = torch.nn.Linear(MODEL_DIM, 256)

    def forward(self, tokens):
        places = sinusoidal_encoding(tokens.shape[1], MODEL_DIM).to(tokens.device)
        x = self.embedding(tokens) + places.float()
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x)


def next_byte(model, text):
    """The cross-entropy of every byte but the first: text (B, T + 1)."""
    logits = model(text[:, :-1]).flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, text[:, 1:].flatten())


def train(norm, rate, schedule, seed):
    """The log of one training; a loss that is no number ends it."""
    torch.manual_seed(seed)
    model, text = ByteModel(norm), load_topics("train")
    options = {"steps": STEPS, "rate": rate, "schedule": schedule, "every": 10}
    log = loop.train(model, pieces(text, seed), next_byte, **options)
    losses = [line.loss for line in log]
    return [round(x, 4) if math.isfinite(x) else None for x in losses]


def pieces(text, seed):
    """Endless batches of random pieces of the text, (BATCH, LENGTH + 1)."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.arange(LENGTH + 1)
    while True:
        start = torch.randint(len(text) - LENGTH - 1, (BATCH, 1), generator=generator)
        yield (text[(start + places).numpy()],)
