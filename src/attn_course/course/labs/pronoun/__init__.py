"""What "it" means: two layers of self-attention over whole sentences, and controls.

``pronoun.pytorch`` and ``pronoun.tf`` have the model and its training.

The first layer may bring the last word to others. In the second every word looks for
one to copy: what it mixes are the words themselves, so its weights are its answer.

python -m experiments.pronoun --seeds 0 1 2
"""

import numpy as np

from attn_course.tasks.pronoun import ANIMAL, DRINK, ENDING, IT, LENGTH

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
