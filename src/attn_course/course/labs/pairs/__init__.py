"""The game of pairs, played by self-attention, by its controls and by a GRU.

``pairs.pytorch`` and ``pairs.tf`` have the models and their training.

python -m experiments.pairs --seeds 0 1 2
"""

import numpy as np

from attn_course.core.masks import sliding_window_mask
from attn_course.tasks.pairs import CARDS, pairs

MODEL_DIM, STATE_DIM, BATCH, RATE = 32, 64, 64, 5e-3
STEPS, ROWS = 800, 1000
# What a card may attend to, with the same parameters, or a GRU in both directions.
READERS = ("all", "near", "own", "gru")


def may_see(reader):
    """The mask (T, T) of a reader: all cards, three to either side, or its own."""
    window = {"all": CARDS, "near": 4, "own": 1}[reader]
    return sliding_window_mask(CARDS, CARDS, window, causal=False)


def settled(log):
    """The mean loss in the third and in the last quarter of the steps."""
    losses = np.array([line.loss for line in log])
    return [round(float(x.mean()), 3) for x in np.array_split(losses, 4)[2:]]


def train(loop, model, *, steps, seed=0, every=50):
    """Train with Adam on the cross-entropy; returns the log: loss, share right.

    loop: ``attn_course.course.training.pytorch`` or ``.tf``.
    """

    def loss(model, animals, numbers, answer):
        return loop.scored(model(animals, numbers)[0], answer)

    data, options = pairs(BATCH, seed=seed), {"steps": steps, "every": every}
    return loop.train(model, data, loss, rate=RATE, **options)


def guess(loop, model, batch):
    """The likeliest number (B, T) of every card's twin."""
    logits, _ = loop.read(model, batch.animals, batch.numbers)
    return logits.argmax(axis=-1)
