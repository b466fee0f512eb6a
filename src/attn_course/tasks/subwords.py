"""Subwords by byte-pair encoding: often seen words stay whole, rare ones fall apart.

    "Then Noah slept" -> "▁Then", "▁No", "ah", "▁sl", "ept"

A table of merges is read, not learned here: from its single characters a word is put
together by the first merge of the table that fits, again and again. ``▁`` stands for
the space before a word, so that decoding needs no rule for spaces.

Source: Sennrich, Haddow & Birch 2016 (arXiv:1508.07909), section 3.2.
Differs: the paper marks the end of a word, here its beginning is marked, as
sentencepiece does.
"""

import re
from functools import cache
from itertools import pairwise

from attn_course.tasks.text import UNKNOWN, Vocabulary

SPACE = "▁"
_WORDS = re.compile(f"{SPACE}?\\w+|{SPACE}?[^\\w\\s{SPACE}]+|{SPACE}")


class Subwords(Vocabulary):
    """Subwords and their tokens, with the methods of ``Vocabulary``.

    characters: all single characters that are known; merges: pairs of subwords, the
    first to be applied first. Raises ValueError for a merge of what no earlier line
    makes.
    """

    def __init__(self, characters, merges):
        super().__init__(characters)
        self._ranks, known = {}, set(self.characters)
        for rank, pair in enumerate(map(tuple, merges)):
            if len(pair) != 2 or not known.issuperset(pair):
                raise ValueError(f"merges: expected two known subwords, got {pair}")
            self._ranks[pair] = rank
            known.add("".join(pair))
        pieces = (*self.characters, *map("".join, self._ranks))
        self._number(dict.fromkeys(pieces))
        self._cut = cache(self._cut_word)

    def pieces(self, text):
        """The subwords of a text, in order."""
        return [piece for word in words(text) for piece in self._cut(word)]

    def _tokens_of(self, text):
        return [self._tokens.get(piece, UNKNOWN) for piece in self.pieces(text)]

    def _cut_word(self, word):
        return merge(word, self._ranks)

    def _decode_row(self, row):
        return super()._decode_row(row).replace(SPACE, " ").strip()


def words(text):
    """A text cut into words and runs of punctuation, ``▁`` where a space was before."""
    return _WORDS.findall(SPACE + text.replace(" ", SPACE))


def merge(word, ranks):
    """A word as a list of subwords: its characters, merged by the lowest rank first.

    ranks: a dict from pairs of subwords to their places in the table of merges.
    """
    pieces = list(word)
    while pairs := [pair for pair in pairwise(pieces) if pair in ranks]:
        best, merged = min(pairs, key=ranks.get), []
        for piece in pieces:
            if merged and (merged[-1], piece) == best:
                merged[-1] += piece
            else:
                merged.append(piece)
        pieces = merged
    return pieces
