"""Sentences of one pattern, in which the last word decides what "it" means.

"The cat drank the milk because it was thirsty": the animal. "... fresh": the drink. A
rule made for this course; it needs no data file. Half of the 64 pairs of animal and
drink stand in training, the other half in the test: the same halves as in chapter 0.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

ANIMALS = ["cat", "dog", "cow", "horse", "goat", "pig", "mouse", "lamb"]
DRINKS = ["milk", "water", "juice", "tea", "coffee", "soup", "cocoa", "cola"]
VERBS = ["drank", "sipped", "tasted", "wanted"]
# The first six ask for the animal, the others for the drink.
ENDINGS = ["thirsty", "tired", "hungry", "happy", "sick", "sleepy"]
ENDINGS += ["fresh", "sour", "bitter", "salty", "sweet", "tasty"]
WORDS = ["the", "because", "it", "was", *VERBS, *ANIMALS, *DRINKS, *ENDINGS]
LENGTH = 9
ANIMAL, DRINK, IT, ENDING = 1, 4, 6, 8  # where they stand


class Sentences(NamedTuple):
    """Sentences and answers as places in `WORDS`, int64.

    words: (n, LENGTH); answer: (n), the animal or the drink that "it" is.
    """

    words: np.ndarray
    answer: np.ndarray


def encode(text):
    """The words of one sentence (LENGTH,), as places in `WORDS`.

    Raises:
        ValueError: it has another number of words, or one that is not in `WORDS`.
    """
    given = text.lower().strip(" .").split()
    if unknown := [word for word in given if word not in WORDS]:
        raise ValueError(f"text must be made of the {len(WORDS)} words, got {unknown}")
    if len(given) != LENGTH:
        raise ValueError(f"text must have {LENGTH} words, got {len(given)}")
    return np.array([WORDS.index(word) for word in given])


def sentences(split):
    """All 1,536 `Sentences` of a split, "train" or "test"."""
    test = np.random.default_rng(0).permutation(64) < 32
    words, answer = [], []
    for pair, (animal, drink) in enumerate(product(ANIMALS, DRINKS)):
        if test[pair] != (split == "test"):
            continue
        for verb, (place, ending) in product(VERBS, enumerate(ENDINGS)):
            text = f"the {animal} {verb} the {drink} because it was {ending}"
            words.append(encode(text))
            answer.append(WORDS.index(animal if place < 6 else drink))
    return Sentences(np.array(words), np.array(answer))


def batches(size, *, seed=0):
    """Endless batches of training sentences; the same seed gives the same."""
    rng, data = np.random.default_rng(seed), sentences("train")
    while True:
        drawn = rng.integers(len(data.words), size=size)
        yield Sentences(data.words[drawn], data.answer[drawn])
