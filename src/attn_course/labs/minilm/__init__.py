"""Finding a sentence by its meaning: the same verse in another translation's words.

``python -m experiments.minilm`` stores the record, by the encoder in PyTorch. The
weights are fetched before: ``python -m attn_course.tasks.minilm fetch``.
"""

import re
from collections import Counter

import numpy as np

from attn_course.tasks.alignments import load_alignments
from attn_course.tasks.translation import SPLITS, load_translation

COUNT = 1000  # verses
GROUPS = 4  # of verses, by the share of words that both translations have


def verses(count=COUNT):
    """Where it stands, question and answer: the same verse in two translations.

    Three lists of strings; the verses are taken evenly from all that both have.
    """
    other = {}
    for split in SPLITS:
        rows = load_translation(split)
        other |= dict(zip(rows.references, rows.sources, strict=True))
    rows = [
        (x.reference, " ".join(x.english), other[x.reference])
        for x in load_alignments()
        if x.reference in other
    ]
    chosen = np.linspace(0, len(rows) - 1, count).round().astype(int)
    return tuple(map(list, zip(*(rows[i] for i in chosen), strict=True)))


def words(text):
    """The words of a text in lower case.

    >>> words("Don’t weep, Zion!")
    ['don', 't', 'weep', 'zion']
    """
    return re.findall(r"[^\W_]+", text.lower())


def shared(one, other):
    """The share of the words of two texts that both have."""
    one, other = set(words(one)), set(words(other))
    return len(one & other) / len(one | other)


def word_vectors(texts, passages):
    """Texts as counts of words, rare ones count more (tf-idf): rows of length 1.

    A word counts by the logarithm of how few of the passages have it.
    """
    have = Counter(word for text in passages for word in set(words(text)))
    place = {word: i for i, word in enumerate(sorted(have))}
    found = np.zeros((len(texts), len(have)))
    for row, text in zip(found, texts, strict=True):
        for word in words(text):
            if word in have:
                row[place[word]] += np.log(len(passages) / have[word])
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
