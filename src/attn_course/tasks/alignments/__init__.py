"""Verses in Greek and English, and which word of one is which of the other.

People drew the links, by hand. README.md beside this file says who, where they come
from, and under which license.
"""

import gzip
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_course.tasks.data import read_checked

FILE = Path(__file__).parent / "alignments.tsv.gz"
SHA256 = "18c670dd60c6604894953d26d5684ed858d945009bba288d6e663659ae92b697"
_LATIN = dict(zip("αβγδεζηικλμνξοπρστυωςϝ", "abgdezeiklmnxoprstyosw", strict=True))
_LATIN |= {"θ": "th", "φ": "ph", "χ": "ch", "ψ": "ps", "(": "", ")": ""}
_ROUGH = "\N{COMBINING REVERSED COMMA ABOVE}"  # the sign for an h


class Verse(NamedTuple):
    """reference: where it stands. greek: S words, in their dictionary form. english: T
    words. links: bool (S, T), True where people say that two words belong together.
    """

    reference: str
    greek: list
    english: list
    links: np.ndarray


def load_alignments():
    """All verses, a list of `Verse`, in the Bible's order.

    Raises:
        ValueError: the file is missing or damaged.
    """
    verses = []
    for where, *words, pairs in _rows():
        greek, english = (text.split(" ") for text in words)
        links = np.zeros((len(greek), len(english)), dtype=bool)
        for pair in pairs.split(" "):
            links[tuple(map(int, pair.split("-")))] = True
        verses.append(Verse(where, greek, english, links))
    return verses


def alignment_error_rate(right, found, drawn):
    """How wrong an alignment is, 0 to 1, where every link that people drew is sure.

    right: links that are found and drawn. found, drawn: all that were found, all that
    people drew. It is one minus the F1 score.

    >>> alignment_error_rate(right=2, found=3, drawn=5)
    0.5

    Source: Och and Ney 2003 (Computational Linguistics 29:1): with sure and possible
    links, 1 - (right among sure + right among possible) / (found + sure).
    """
    return 1 - 2 * right / (found + drawn)


def latin(word):
    """A Greek word in Latin letters, for a page that has no Greek.

    >>> [latin(word) for word in ("λόγος", "ὁ", "ψυχή", "ἅγιος", "εὐαγγέλιον")]
    ['logos', 'ho', 'psyche', 'hagios', 'euangelion']
    """
    letters = unicodedata.normalize("NFD", word)
    rough = _ROUGH in letters
    plain = [x for x in letters.lower() if not unicodedata.combining(x)]
    text = "".join(_LATIN.get(x, x) for x in plain)
    for one, two in (("gg", "ng"), ("gk", "nk"), ("gch", "nch"), ("gx", "nx")):
        text = text.replace(one, two)
    for vowel in "aeo":
        text = text.replace(vowel + "y", vowel + "u")
    if rough:
        text = text[0] + "h" + text[1:] if text[0] == "r" else "h" + text
    return text.title() if word[0].isupper() else text


@cache
def _rows():
    text = gzip.decompress(read_checked(FILE, SHA256)).decode()
    return [line.split("\t") for line in text.splitlines()]
