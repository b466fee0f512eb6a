"""A language model of bytes whose heads of key and value are merged, then trained on.

The model has a head of key and value per head of the query. It learns Python's help
texts; then its heads are merged by three methods, and what comes out is trained on for
5 % of the steps, as is the model itself, for comparison. All in PyTorch.

python -m experiments.uptrain --seeds 0 1 2
"""

import numpy as np

SMALL = {
    "symbols": 256,
    "model_dim": 96,
    "num_heads": 6,
    "num_kv_heads": 6,
    "ff_dim": 256,
    "num_layers": 2,
}
LENGTH, BATCH, RATE, STEPS = 64, 32, 3e-3, 1000
MORE, MORE_RATE, EVERY = STEPS // 20, 1e-3, 10  # uptraining, and how often tested
TESTED = 160  # windows of the test
METHODS = ("mean", "first", "random")


def batches(text, *, seed, length=LENGTH, count=BATCH):
    """Endless windows (count, length) of a text, and the tokens that follow."""
    rng = np.random.default_rng(seed)
    while True:
        starts = rng.integers(len(text) - length, size=(count, 1))
        window = text[starts + np.arange(length + 1)]
        yield window[:, :-1], window[:, 1:]


def windows(text, length=LENGTH, count=TESTED):
    """The first ``count`` windows, side by side, and the tokens that follow."""
    rows = np.arange(count)[:, None] * length + np.arange(length)
    return text[rows], text[rows + 1]
