"""English to Spanish: the verses of two Bible translations, and their subwords.

Real sentences that people wrote, in the public domain. README.md beside this file says
where they come from, what was done to them, and which verses are left out. Training,
development and test are of different books.
"""

import bz2
import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attn_course.tasks.data import read_checked
from attn_course.tasks.subwords import Subwords
from attn_course.tasks.text import Parallel, encode_pairs

SPLITS = ("train", "dev", "test")
# Whole books, of which hardly a verse stands in another (John 12:8 does).
DEV = ("Ecclesiastes", "Hosea", "Joel", "Philippians")
TEST = ("Ruth", "Esther", "Jonah", "John", "James")
FOLDER = Path(__file__).parent
SHA256 = {
    "english.tsv.bz2": (
        "af0a00631d5d5f2cf03854db6d75f30b043d29ed96f5ece24df977086df5f78e"
    ),
    "spanish.tsv.bz2": (
        "74e10c755765f456809936cf57e08d780ff7c30c63493b87bc10eb8149cd3192"
    ),
    "subwords.txt.gz": (
        "4c04be5785abe235d19956cb5e02d6283246b7fb179b638b6dd6eaf9b560146f"
    ),
}


@dataclass(frozen=True)
class Translation(Parallel):
    """Parallel lists of n strings: English, Spanish, and where it stands."""

    references: list

    def encode(self):
        """All pairs as one `Batch` of subwords."""
        return encode_pairs(self.sources, self.targets, subwords(), subwords())


def load_translation(split, *, longest=None):
    """The `Translation` of ``"train"``, ``"dev"`` or ``"test"``, in the Bible's order.

    longest: leaves out pairs with more subwords in one of the languages. A verse whose
    English or Spanish also stands in dev or test is not in train.

    Raises:
        ValueError: another split is asked for, or a file is missing or damaged.
    """
    if split not in SPLITS:
        raise ValueError(f"split: expected one of {', '.join(SPLITS)}, got {split!r}")
    rows = _splits()[split]
    if longest is not None:
        pairs = zip(rows, _lengths(split), strict=True)
        rows = [row for row, length in pairs if length <= longest]
    return Translation(*map(list, zip(*rows, strict=True)))


def load_verses(split):
    """The English verses of a split alone, as one text with a verse per line.

    Raises:
        ValueError: another split is asked for, or a file is missing or damaged.
    """
    return "\n".join(load_translation(split).sources)


@cache
def _lengths(split):
    """Of every pair the subwords of the longer one; counted once."""
    count = subwords().pieces
    return [max(len(count(text)) for text in row[:2]) for row in _splits()[split]]


@cache
def subwords():
    """The `Subwords` of both languages together, 4,000 tokens, made from train."""
    text = gzip.decompress(_read("subwords.txt.gz")).decode()
    characters, *merges = text.splitlines()
    return Subwords(characters, [tuple(merge.split(" ")) for merge in merges])


def book(reference):
    """``"I Samuel 3:7"`` -> ``"I Samuel"``."""
    return reference.rsplit(" ", 1)[0]


def split_by_book(rows):
    """Rows ``(English, Spanish, reference)`` as a dict, without repeats in train."""
    of_book = dict.fromkeys(DEV, "dev") | dict.fromkeys(TEST, "test")
    found = {split: [] for split in SPLITS}
    for row in rows:
        found[of_book.get(book(row[2]), "train")].append(row)
    held = [row for split in ("dev", "test") for row in found[split]]
    english, spanish = {row[0] for row in held}, {row[1] for row in held}
    found["train"] = [
        row for row in found["train"] if row[0] not in english and row[1] not in spanish
    ]
    return found


@cache
def _splits():
    columns = []
    for name in ("english", "spanish"):
        text = bz2.decompress(_read(f"{name}.tsv.bz2")).decode()
        columns.append([line.split("\t") for line in text.splitlines()])
    pairs = zip(*columns, strict=True)
    return split_by_book([(one[1], two[1], one[0]) for one, two in pairs])


def _read(name):
    return read_checked(FOLDER / name, SHA256[name])
