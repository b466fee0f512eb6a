"""The readers of digits in PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import FeatureMapAttention, IntraAttentionLSTM
from experiments.digits import (
    ATTENTION_DIM,
    CHANNELS,
    HIDDEN_DIM,
    KEY_DIM,
    RATE,
    batches,
    may_look,
)


class PixelReader(torch.nn.Module):
    """One convolution of 3 by 3, attention over its map, a mean over all pixels.

    Shapes:
        images (B, 8, 8) -> logits (B, 10), weights (B, 64, 64) or None.
    """

    def __init__(self, look):
        super().__init__()
        self.look = look
        self.convolution = torch.nn.Conv2d(1, CHANNELS, 3, padding=1)
        self.attention = None
        if look != "none":
            sizes = {"key_dim": KEY_DIM, "value_dim": CHANNELS}
            self.attention = FeatureMapAttention(CHANNELS, **sizes)
        self.output = torch.nn.Linear(CHANNELS, 10)

    def forward(self, images, need_weights=False):
        features = torch.relu(self.convolution(images[:, None]))
        weights = None
        if self.attention is not None:
            mask = may_look(self.look, features[0, 0].numel())
            mask = torch.from_numpy(mask).to(images.device)
            options = {"need_weights": need_weights}
            features, weights = self.attention(features, mask, **options)
            features = torch.relu(features)
        return self.output(features.mean(dim=(2, 3))), weights


class RowReader(torch.nn.Module):
    """Eight rows in turn, by an LSTM that attends to its past or by a plain one.

    Shapes:
        images (B, 8, 8) -> logits (B, 10), weights (B, 8, 8) or None.
    """

    def __init__(self, attends):
        super().__init__()
        self.attends = attends
        if attends:
            self.reader = IntraAttentionLSTM(8, HIDDEN_DIM, attention_dim=ATTENTION_DIM)
        else:
            self.reader = torch.nn.LSTM(8, HIDDEN_DIM, batch_first=True)
        self.output = torch.nn.Linear(HIDDEN_DIM, 10)

    def forward(self, images):
        states, weights = self.reader(images)
        return self.output(states[:, -1]), weights if self.attends else None


def train(model, digits, *, steps, seed=0, every=40):
    """Train with Adam on the cross-entropy; returns the log of the loss."""
    data = batches(digits, seed=seed)
    return loop.train(model, data, _loss, steps=steps, rate=RATE, every=every)


def _loss(model, images, labels):
    logits, _ = model(images)
    return torch.nn.functional.cross_entropy(logits, labels)


@torch.no_grad()
def accuracy(model, digits):
    """The share of images whose digit is the likeliest."""
    logits, _ = model(torch.from_numpy(digits.images))
    return (logits.argmax(dim=-1).numpy() == digits.labels).mean()
