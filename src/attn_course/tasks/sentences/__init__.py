"""German sentences and their English: a small grammar with 170 German words and forms.

The rules are written for this course; nothing is copied, and no data file is needed.
The two languages order their words differently: a German participle or infinitive
stands last, in a subordinate clause the verb does; the time stands early in German and
last in English; an object may come first, where case or number tells who acts. German
endings depend on gender and case, and vanish in English. Some sentences are absurd.

    den alten Hund hat meine Schwester gestern gesehen .
    my sister saw the old dog yesterday .

Splits, without a sentence in common: ``train``, ``dev`` (settings are chosen on it),
``test``; ``pairs``, sentences with an adjective beside a noun that never stand together
in the others. The same on every machine: ``random.Random(seed).random()`` is the only
source of chance.
"""

import random
import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from attn_course.tasks.sentences.grammar import (
    ADJECTIVES,
    NOUNS,
    NUMBERS,
    VERBS,
    he,
    present,
    sentence,
)
from attn_course.tasks.text import UNKNOWN, Vocabulary, encode_pairs

SIZES = {"train": 12_800, "dev": 500, "test": 1_000, "pairs": 500}
SEED = 2026
# Adjective and noun, apart from each other in all splits but "pairs".
APART = {
    ("red", "horse"), ("old", "ship"), ("small", "queen"), ("beautiful", "door"),
    ("white", "cat"), ("new", "lamp"), ("tired", "brother"), ("young", "teacher"),
}  # fmt: skip


class Words(Vocabulary):
    """All words of both languages and their tokens, as ``Vocabulary`` has characters.

    A text is cut into words and signs; its first word may begin with a capital.
    """

    def __init__(self, words):
        self._number(sorted(set(words)))

    def pieces(self, text):
        """The words and signs of a text, in order."""
        found = re.findall(r"\w+|[^\w\s]", text)
        if found and found[0] not in self._tokens:
            found[0] = found[0][0].lower() + found[0][1:]
        return found

    def _tokens_of(self, text):
        return [self._tokens.get(word, UNKNOWN) for word in self.pieces(text)]

    def _decode_row(self, row):
        return " ".join(self._shown(row))


class Sentences(NamedTuple):
    """Pairs of sentences: two tuples of texts, beside each other."""

    sources: tuple
    targets: tuple

    def take(self, rows):
        """The pairs at some places."""
        return Sentences(*(tuple(part[row] for row in rows) for part in self))

    def encode(self):
        """Their tokens, a `Batch`."""
        return encode_pairs(*self, vocabulary(), vocabulary())


def apart(english):
    """Whether an adjective stands beside a noun that it meets in "pairs" alone."""
    return any(pair in _apart_pairs() for pair in pairwise(english.split()))


@cache
def _apart_pairs():
    many = {noun.english: noun.many for noun in NOUNS}
    return APART | {(adjective, many[noun]) for adjective, noun in APART}


@cache
def _drawn():
    """All splits, drawn in one go: no sentence twice."""
    rng, seen = random.Random(SEED), set()
    found = {split: [] for split in SIZES}
    while any(len(found[split]) < size for split, size in SIZES.items()):
        german, english = sentence(rng)
        if german in seen:
            continue
        seen.add(german)
        open_to = ["pairs"] if apart(english) else ["test", "dev", "train"]
        for split in open_to:
            if len(found[split]) < SIZES[split]:
                found[split].append((german, english))
                break
    return {
        split: Sentences(*zip(*pairs, strict=True)) for split, pairs in found.items()
    }


def load_sentences(split):
    """The `Sentences` of a split: "train", "dev", "test" or "pairs".

    Raises:
        ValueError: there is no such split.
    """
    if split not in SIZES:
        raise ValueError(f"split must be one of {', '.join(SIZES)}, got {split!r}")
    return _drawn()[split]


@cache
def vocabulary():
    """The `Words` of both languages."""
    texts = [text for part in _drawn()["train"] for text in part]
    return Words(word for text in texts for word in text.split())


def links(german, english):
    """(row, column): an English word of content, and the German one that it is from.

    Nouns, adjectives, numbers and verbs; "looked for" by its first word. A word whose
    German could be two words of the sentence has no link.
    """
    read = german.split()
    found = []
    for row, word in enumerate(english.split()):
        places = [at for at, other in enumerate(read) if other in _from(word)]
        if len(places) == 1:
            found.append((row, places[0]))
    return found


def _from(word):
    """The German words that an English word can be from; none for small words."""
    return _dictionary().get(word, set())


@cache
def _dictionary():
    found = {}
    for noun in NOUNS:
        for english in (noun.english, noun.many):
            found.setdefault(english, set()).update(noun[:2])
    for each in ADJECTIVES:
        endings = {each.stem + end for end in ("e", "en", "er", "es")}
        found[each.english] = endings | {each.alone}
    for german, english in NUMBERS:
        found[english] = {german}
    for verb in VERBS:
        forms = {verb.participle, *(present(verb, who) for who in ("ich", "er", "wir"))}
        for english in (verb.english, verb.past, he(verb.english)):
            found.setdefault(english.split()[0], set()).update(forms)
    return found
