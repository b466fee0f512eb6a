"""Numbers read out word by word, to be written in digits: "three one four" -> "314".

A rule made for this course, without a data file. Each word is one token, and the digit
that it names stands for it in ``sources``. So the order never jumps, and every word
comes back many times: which of them is meant is a matter of place alone. Backward, the
last word is written first.
"""

from typing import NamedTuple

import numpy as np

from attn_course.tasks.text import Vocabulary, encode_pairs

_WORDS = "zero one two three four five six seven eight nine"
WORDS = tuple(_WORDS.split())
LEAST, MOST = 4, 20  # words in a number of the training
PI = "314159265358979323846264338327950288419716939937510582097494"


class NumberWords(NamedTuple):
    """Parallel lists of strings: what is read, a digit per word; what is written."""

    sources: list
    targets: list

    def encode(self):
        """All pairs as one ``Batch``."""
        return encode_pairs(*self, vocabulary(), vocabulary())


def vocabulary():
    """The ten words, or the ten digits: 14 tokens with the special ones."""
    return Vocabulary("0123456789")


def number_words(count, *, least=LEAST, most=MOST, backward=False, seed=0):
    """So many random numbers of least to most words; the same seed gives the same."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(least, most + 1, size=count)
    sources = ["".join(map(str, rng.integers(10, size=size))) for size in lengths]
    return NumberWords(sources, [x[::-1] if backward else x for x in sources])


def read_out(number):
    """The words of a number: "three one four" of "314"."""
    return " ".join(WORDS[int(digit)] for digit in number)
