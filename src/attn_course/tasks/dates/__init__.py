"""Dates in 19 languages -> ISO 8601: ``"4. maaliskuuta 1987" -> "1987-03-04"``.

English comes in two ways, en_US and en_GB: 20 locales. Real locale data (Unicode CLDR,
through Babel) in a snapshot inside the package: it loads offline, needs no Babel and
is the same everywhere. README.md beside this file says how it was made,
LICENSE-CLDR.txt what you may do with it. The days of train, dev and test are disjoint.
The format "short" is left out: ``03/04/87`` has several readings.
"""

import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attn_course.tasks.data import read_checked
from attn_course.tasks.text import Parallel, Vocabulary, encode_pairs

SPLITS = ("train", "dev", "test")
COLUMNS = ("split", "locale", "format", "source", "target")
DATA = Path(__file__).parent / "dates.tsv.gz"
SHA256 = "7a2938c8af42702a891094de0a4fc01b0c4a5dcf2d171d8acce309930e0ec542"


@dataclass(frozen=True)
class Dates(Parallel):
    """Parallel lists of n strings: localized date, ISO date, locale and format."""

    locales: list
    formats: list

    def encode(self):
        """All pairs as one `Batch`.

        source and source_mask are (n, S), target_in and target_out (n, 11): the 10
        characters of an ISO date and the end (or, in target_in, the begin).
        """
        return encode_pairs(
            self.sources, self.targets, source_vocabulary(), target_vocabulary()
        )


def load_dates(split):
    """The `Dates` of ``"train"``, ``"dev"`` or ``"test"``: 24,000, 1,000, 3,000 pairs.

    Any slice is balanced: the locales take turns. Test begins with 8 days that come
    in all 20 locales. Raises ValueError for another split, and for a snapshot that is
    missing or not the one of this version.
    """
    if split not in SPLITS:
        raise ValueError(f"split: expected one of {', '.join(SPLITS)}, got {split!r}")
    columns = zip(*(row[1:] for row in _rows(DATA) if row[0] == split), strict=True)
    locales, formats, sources, targets = map(list, columns)
    return Dates(sources, targets, locales, formats)


@cache
def source_vocabulary():
    """The `Vocabulary` of the sources, made from the training split alone."""
    return Vocabulary("".join(load_dates("train").sources))


@cache
def target_vocabulary():
    """The `Vocabulary` of the targets: ten digits, the hyphen, 4 special tokens."""
    return Vocabulary("0123456789-")


@cache
def _rows(path):
    """The lines of the file as tuples of `COLUMNS`; its checksum is looked at first."""
    data = read_checked(path, SHA256)
    _columns, *lines = gzip.decompress(data).decode("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]
