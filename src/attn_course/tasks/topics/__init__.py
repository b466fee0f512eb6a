"""Python's own help texts as bytes: a real text for small language models.

README.md beside this file says where they come from. No paragraph stands in two topics,
so the splits, which are of whole topics, share none.
"""

import gzip
import json
from pathlib import Path

import numpy as np

from attn_course.tasks.data import read_checked

SPLITS = ("train", "test")
DATA = Path(__file__).parent / "topics.json.gz"
SHA256 = "71795326b9df4a36a040023bd572c83ffa218c90399ef056044539e556ab5cc0"
HELD_OUT = 6  # every sixth topic, in the order of their names, is for the test
BETWEEN = "\n\n\n"  # stands between two topics


def load_topics(split):
    """All topics of ``"train"`` or ``"test"`` in a row: bytes (n) as int64.

    Raises:
        ValueError: another split is asked for, or the file is missing or damaged.
    """
    topics = read_topics(split)
    text = BETWEEN.join(topics.values()).encode()
    return np.frombuffer(text, np.uint8).astype(np.int64)


def read_topics(split):
    """The topics of a split: name -> text.

    Raises:
        ValueError: as ``load_topics``.
    """
    if split not in SPLITS:
        raise ValueError(f"split: expected one of {', '.join(SPLITS)}, got {split!r}")
    topics = json.loads(gzip.decompress(read_checked(DATA, SHA256)))
    held_out = sorted(topics)[::HELD_OUT]
    return {
        name: text
        for name, text in topics.items()
        if (name in held_out) == (split == "test")
    }
