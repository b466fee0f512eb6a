"""What "it" means: two layers of self-attention over whole sentences, and controls.

``pronoun.pytorch`` and ``pronoun.tf`` have the model.

The first layer may bring the last word to others. In the second every word looks for
one to copy: what it mixes are the words themselves, so its weights are its answer.

python -m experiments.pronoun --seeds 0 1 2
"""

import numpy as np

from attn_course.tasks.pronoun import ANIMAL, DRINK, ENDING, IT, LENGTH, WORDS, batches

WIDTH, SPREAD = 32, 0.3  # of the embeddings: numbers per word, standard deviation
STEPS, BATCH, RATE = 200, 64, 5e-3
# Who may look around in the first layer; whoever may not sees itself only.
READERS = {
    "all words": range(LENGTH),
    "only it": [IT],
    "only the nouns": [ANIMAL, DRINK],
    "itself only": [],
}
# Arrows of the first layer that are cut in a trained model: (row, column).
CUTS = {
    "none": [],
    "it": [(IT, ENDING)],
    "nouns": [(ANIMAL, ENDING), (DRINK, ENDING)],
    "both": [(IT, ENDING), (ANIMAL, ENDING), (DRINK, ENDING)],
}


def may_see(reader):
    """The first layer's mask (T, T), True = may attend."""
    mask = np.eye(LENGTH, dtype=bool)
    mask[list(READERS[reader])] = True
    return mask


def cut(name):
    """The mask (T, T) of all words, less some arrows from the last word."""
    mask = np.ones((LENGTH, LENGTH), dtype=bool)
    for row, column in CUTS[name]:
        mask[row, column] = False
    return mask


class Reader:
    """Two layers of self-attention; the second copies words.

    Shapes:
        words (B, T) -> shares (B, T, len(WORDS)), weights, two of (B, T, T).
    """

    def __init__(self, mask, *, residual=True):
        super().__init__()
        self.embedding = self.table(len(WORDS), WIDTH)
        sizes = {"key_dim": WIDTH, "value_dim": WIDTH}
        self.first = self.face.SelfAttention(WIDTH, **sizes)
        self.query = self.linear(WIDTH, WIDTH, bias=False)
        self.key = self.linear(WIDTH, WIDTH, bias=False)
        self.mask, self.residual = mask, residual

    def call(self, words):
        x = self.embedding(words)
        mixed, first = self.first(x, self.mask)
        x = x + mixed if self.residual else mixed
        query, key, names = self.query(x), self.key(x), self.one_hot(words, x.dtype)
        copied, second = self.face.scaled_dot_product_attention(query, key, names)
        return copied, (first, second)


def train(model, *, steps, seed=0, every=20):
    """Train with Adam on the share that the right word gets; returns the log."""
    data, options = batches(BATCH, seed=seed), {"steps": steps, "every": every}
    return model.loop.train(model, data, type(model).loss_of, rate=RATE, **options)


def guess(model, words):
    """What "it" copies most, as a place in `WORDS` (B), and the weights."""
    copied, weights = model.loop.read(model, words)
    return copied[:, IT].argmax(axis=-1), weights
