"""Makes the verses: ``python -m experiments.data.translation FOLDER``.

It needs two Debian packages, unpacked into one folder, which is its argument, and from
PyPI ``pysword`` and ``tokenizers`` in the versions that README.md names:

    apt download sword-text-web=426.0-1 sword-text-sparv=2.60-1
    for package in sword-text-*.deb; do dpkg -x $package FOLDER; done
    python -m experiments.data.translation FOLDER/usr/share/sword

Nothing is drawn by a random generator: every run writes the same bytes.
"""

import bz2
import gzip
import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict

from attn_course.tasks.subwords import SPACE, Subwords, words
from attn_course.tasks.text import NUM_SPECIAL
from attn_course.tasks.translation import FOLDER, SHA256, split_by_book

ENGLISH, SPANISH = "engWEB2015eb", "spaRV1909eb"
TOKENS, MOST_WORDS = 4000, 60
# What a verse must share with its translation more than with its neighbors'.
MARGIN = 0.145
_DROPPED = re.compile(
    r"<(note|speaker)\b.*?</\1>|<title(?! canonical).*?</title>", re.DOTALL
)
_BREAKS = re.compile(r"</?(?:l|lg|lb|div|chapter|item|list|title|milestone)\b[^>]*>")
# Only a tag stands between two words: "God<note/>created", "casa</w><w>que".
_GLUE = re.compile(r"(?<=[\w,.;:!?”’)])(?:<[^>]*>)+(?=[\w“‘(¿¡])")


def verses(path, module):
    """(book, chapter, verse) -> the text with its markup, of one translation."""
    from pysword.modules import SwordModules

    modules = SwordModules(str(path))
    modules.parse_modules()
    bible, found = modules.get_bible_from_module(module), {}
    for books in bible.get_structure().get_books().values():
        for book in books:
            for chapter in range(1, book.num_chapters + 1):
                place = {"books": [book.name], "chapters": [chapter], "clean": False}
                for verse, text in enumerate(bible.get_iter(**place), 1):
                    if text.strip():
                        found[book.name, chapter, verse] = text
    return found


def cleaned(text):
    """A verse without its markup, its notes and its headings.

    >>> cleaned("God<note>Hebrew: Elohim</note><w>created</w> <w>it</w>.")
    'God created it.'
    """
    text = _BREAKS.sub(" ", _DROPPED.sub("<>", text))
    text = re.sub(r"<[^>]*>", "", _GLUE.sub(" ", text))
    return re.sub(r" (?=[,.;:!?”’)])", "", " ".join(text.split()))


def without_initials(text, counts):
    """The capitals that open a chapter, as in the middle of one.

    counts: how often every word stands in the whole text; a name keeps its capital.

    >>> without_initials("Y ACONTECIÓ que Dios", {"aconteció": 5})
    'Y aconteció que Dios'
    """
    opening = re.match(
        r"[¿¡]?\w*[^\W\d_a-zñáéíóúü]\b(?: [^\W\d_a-zñáéíóúü]{2,}\b)*", text
    )
    if opening is None:
        return text
    found = []
    for number, word in enumerate(opening[0].split()):
        low, name = word.lower(), word.title()
        is_word = number and counts.get(low, 0) >= counts.get(name, 0)
        found.append(low if is_word else name)
    return " ".join(found) + text[opening.end() :]


def aligned_chapters(english, spanish):
    """The chapters whose verses are numbered alike in both translations.

    Words that often stand in verses of the same number are each other's translation
    (Dice's coefficient). Where a chapter's verses find more of their words in the
    verses one to three before or behind, or hardly fewer, its numbers are shifted.
    """
    bags = [
        {
            place: set(re.findall(r"[^\W\d_]+", text.lower()))
            for place, text in x.items()
        }
        for x in (english, spanish)
    ]
    counts = [Counter(word for bag in x.values() for word in bag) for x in bags]
    often = [{word for word, n in x.items() if 4 <= n <= 1500} for x in counts]
    bags = [
        {place: bag & known for place, bag in x.items()}
        for x, known in zip(bags, often, strict=True)
    ]
    partners = dice(bags, counts)
    chapters = defaultdict(list)
    for place in english:
        chapters[place[:2]].append(place)
    kept = set()
    for chapter, places in chapters.items():
        fits = {
            shift: fit(places, shift, bags, counts[1], partners)
            for shift in range(-3, 4)
        }
        if fits.pop(0) - max(fits.values()) > MARGIN:
            kept.add(chapter)
    return kept


def dice(bags, counts):
    """English word -> Spanish word -> how often they share a verse, 0 to 1."""
    together = Counter(
        (one, two)
        for place, bag in bags[0].items()
        for one in bag
        for two in bags[1][place]
    )
    partners = defaultdict(dict)
    for (one, two), n in together.items():
        share = 2 * n / (counts[0][one] + counts[1][two])
        if n >= 3 and share > 0.15:
            partners[one][two] = share
    return partners


def fit(places, shift, bags, counts, partners):
    """How well the verses ``shift`` behind explain these; rare words count more."""
    found = []
    for book, chapter, verse in places:
        spanish = bags[1].get((book, chapter, verse + shift))
        english = bags[0][book, chapter, verse]
        if spanish:
            weight = {word: math.log(31_000 / counts[word]) for word in spanish}
            best = sum(
                w * max((partners[one].get(word, 0) for one in english), default=0)
                for word, w in weight.items()
            )
            found.append(best / sum(weight.values()))
    return sum(found) / len(found) if found else 0.0


def pairs(path):
    """The rows ``(English, Spanish, reference)``, and what was left out."""
    raw = [verses(path, module) for module in (ENGLISH, SPANISH)]
    places = [place for place in raw[1] if place in raw[0]]
    english = {place: cleaned(raw[0][place]) for place in places}
    spanish = {place: cleaned(raw[1][place]) for place in places}
    lengths = [Counter(place[:2] for place in x) for x in raw]
    alike = aligned_chapters(english, spanish)
    alike = {c for c in alike if lengths[0][c] == lengths[1][c]}
    counts = Counter(word for text in spanish.values() for word in text.split())
    rows = []
    for place in places:
        book, chapter, verse = place
        one, two = english[place], spanish[place]
        two = without_initials(two, counts) if verse == 1 else two
        if (
            place[:2] in alike
            and max(map(len, (one.split(), two.split()))) <= MOST_WORDS
        ):
            rows.append((one, two, f"{book} {chapter}:{verse}"))
    shifted = [
        f"{b} {c}"
        for b, c in dict.fromkeys(p[:2] for p in places)
        if (b, c) not in alike
    ]
    return rows, len(places), shifted


def learn(texts):
    """The `Subwords` of the texts, by the library; ours is checked to cut alike."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    options = {"vocab_size": TOKENS - NUM_SPECIAL, "show_progress": False}
    trainer = trainers.BpeTrainer(min_frequency=2, **options)
    spaced = [" ".join(words(text)) for text in texts]
    tokenizer.train_from_iterator(spaced, trainer)
    characters = "".join(sorted(set("".join(texts).replace(" ", SPACE))))
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    ours = Subwords(characters, merges)
    for text, theirs in zip(texts, tokenizer.encode_batch(spaced), strict=True):
        if ours.pieces(text) != theirs.tokens:
            raise RuntimeError(f"cut differently: {text!r}")
    return characters, merges


def main(path):
    """Write the three files; return their sums."""
    rows, count, shifted = pairs(path)
    splits = split_by_book(rows)
    files = {}
    for column, name in enumerate(("english", "spanish")):
        text = "".join(f"{row[2]}\t{row[column]}\n" for row in rows)
        files[f"{name}.tsv.bz2"] = bz2.compress(text.encode(), 9)
    characters, merges = learn([text for row in splits["train"] for text in row[:2]])
    table = "\n".join([characters, *map(" ".join, merges)]) + "\n"
    files["subwords.txt.gz"] = gzip.compress(table.encode(), 9, mtime=0)
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
    print(f"{len(rows):,} of {count:,} verses;", {k: len(x) for k, x in splits.items()})
    print("left out, numbered differently:", ", ".join(shifted))
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


if __name__ == "__main__":
    for name, new in main(sys.argv[1]).items():
        print(name, new, "as before" if new == SHA256[name] else "- new")
