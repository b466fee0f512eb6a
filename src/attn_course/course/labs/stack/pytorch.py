"""The model of the task in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.stack import FF_DIM, HEADS, PIXELS, RATE, STEPS, WIDTH
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import Encoder


class OddOne(torch.nn.Module):
    """Sets of images (B, IMAGES, PIXELS) -> a score per image (B, IMAGES), weights.

    It knows no positions: in whatever order the images come, their scores are the same.
    """

    def __init__(self, num_layers, norm="pre"):
        super().__init__()
        self.embedding = torch.nn.Linear(PIXELS, WIDTH)
        self.encoder = Encoder(num_layers, WIDTH, HEADS, FF_DIM, norm=norm)
        self.score = torch.nn.Linear(WIDTH, 1)

    def forward(self, images):
        x, weights = self.encoder(self.embedding(images))
        return self.score(x)[..., 0], weights


def cross_entropy(model, given, answer):
    """Over the images of a set; and the share that is right."""
    logits, _ = model(given)
    right = (logits.argmax(dim=-1) == answer).float().mean()
    return torch.nn.functional.cross_entropy(logits, answer), right


def train(model, batches):
    """Train with Adam; returns the log, a loss and a share per line."""
    options = {"steps": STEPS, "rate": RATE, "clip": 1.0}
    return loop.train(model, batches, cross_entropy, **options)
