"""Writing a string backwards, with and without attention: only the length changes.

``"abcad" -> "dacba"``: the smallest task on which a fixed context breaks with length.
Lengths 4 to 20 for training; evaluation in six buckets, two of them longer than
anything trained on. A rule made for this course, not taken from a paper; no data file.

The model without attention gets three times as many steps, so that it is trained and
not merely behind. The rate of both falls to 0: no last step is a bad one.

python -m experiments.reversal --seeds 0 1 2
"""

import zlib
from functools import cache
from itertools import pairwise

import numpy as np

from attn_course.course.labs.seq2seq import Task
from attn_course.course.training import falling
from attn_course.tasks.text import Parallel, Vocabulary, encode_pairs
from experiments.seq2seq import run_and_store

SYMBOLS = "abcdefghijklmn"
TRAIN_LENGTHS = (4, 20)
# The edges of `metrics.by_length`: 4-8, 9-12, 13-16, 17-20, and unseen 21-25, 26-30.
EDGES = (4, 9, 13, 17, 21, 26, 31)
# One string in this many belongs to evaluation.
HELD_OUT = 8
STEPS = {False: 3000, True: 1000}


class Reversal(Parallel):
    """Strings over `SYMBOLS` and their reversals: two lists of the same length."""

    def encode(self):
        """All pairs as one `Batch`.

        source and source_mask are (n, S), target_in and target_out (n, S + 1).
        """
        return encode_pairs(self.sources, self.targets, vocabulary(), vocabulary())


@cache
def vocabulary():
    """The `Vocabulary` of sources and targets: 14 symbols and 4 special tokens."""
    return Vocabulary(SYMBOLS)


def training_set(count, *, seed=0):
    """`count` different pairs, lengths 4 to 20 drawn uniformly.

    Same seed, same pairs.
    """
    generator = np.random.default_rng(seed)
    return _pairs(_draw(count, *TRAIN_LENGTHS, generator, held_out=False))


def draw(count, shortest, longest, *, seed):
    """``count`` different strings for evaluation, of these lengths."""
    return _draw(count, shortest, longest, np.random.default_rng(seed), held_out=True)


def evaluation_set(per_bucket, *, seed=1):
    """`per_bucket` different pairs for each bucket of `EDGES`, short buckets first.

    Same seed, same pairs. No pair is in any training set, whatever the seeds (see
    `is_held_out`), so even the 38,416 strings of length 4, which drawing at random
    would soon repeat, are unseen.
    """
    generator = np.random.default_rng(seed)
    sources = []
    for low, high in pairwise(EDGES):
        sources += _draw(per_bucket, low, high - 1, generator, held_out=True)
    return _pairs(sources)


def is_held_out(text):
    """Whether a string is for evaluation; its checksum decides, so no list is kept."""
    return zlib.crc32(text.encode()) % HELD_OUT == 0


def _pairs(sources):
    return Reversal(sources, [source[::-1] for source in sources])


def _draw(count, shortest, longest, generator, *, held_out):
    found = {}  # a dict, for it keeps the order of drawing
    while len(found) < count:
        length = generator.integers(shortest, longest, endpoint=True)
        drawn = generator.integers(len(SYMBOLS), size=length)
        text = "".join(SYMBOLS[i] for i in drawn)
        if is_held_out(text) == held_out:
            found[text] = None
    return list(found)


def task():
    """Strings of 4 to 20 of 14 symbols for training; up to 30 in the test."""
    return Task(
        name="reversal",
        train=training_set(40_000),
        test=evaluation_set(500),
        source_vocabulary=vocabulary(),
        target_vocabulary=vocabulary(),
        edges=EDGES,
        embedding_dim=32,
        hidden_dim=96,
        batch_size=64,
    )


if __name__ == "__main__":
    plan, beside = (
        [(framework, {"attention": kind}, STEPS[kind]) for kind in (False, True)]
        for framework in ("pytorch", "tf")
    )
    run_and_store(task(), plan, beside, schedule=falling)
