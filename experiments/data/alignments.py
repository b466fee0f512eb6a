"""Makes the aligned verses: ``python -m experiments.data.alignments WHEEL``.

WHEEL is the file that this gives:

    pip download --no-deps bible-alignments==0.4.2

It is read, not installed. Nothing is drawn: every run writes the same bytes.
"""

import csv
import gzip
import hashlib
import io
import json
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

from attn_course.tasks.alignments import FILE, SHA256

WHEEL_SHA256 = "84f6b15e706657777824aac811567cb5cb2b38ad2b94497209f5f3c3f67b0984"
SOURCE = "data/sources/SBLGNT.tsv"
TARGET = "data/eng/targets/BSB/nt_BSB.tsv"
LINKS = "data/eng/alignments/BSB/SBLGNT-BSB-manual.json"
MOST_GREEK, MOST_ENGLISH = 14, 22  # words of a verse
BOOKS = (
    "Matthew", "Mark", "Luke", "John", "Acts", "Romans", "I Corinthians",
    "II Corinthians", "Galatians", "Ephesians", "Philippians", "Colossians",
    "I Thessalonians", "II Thessalonians", "I Timothy", "II Timothy", "Titus",
    "Philemon", "Hebrews", "James", "I Peter", "II Peter", "I John", "II John",
    "III John", "Jude", "Revelation",
)  # fmt: skip


def table(file, name):
    """The rows of a tab-separated file of the wheel, each a dict."""
    text = io.StringIO(file.read(name).decode())
    return csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)


def verses(file):
    """Verse -> the numbers and texts of its words, Greek and English."""
    greek, english = defaultdict(dict), defaultdict(dict)
    for row in table(file, SOURCE):  # n40001002003: book 40, chapter 1, verse 2
        greek[row["id"][1:9]][row["id"]] = row["lemma"]
    for row in table(file, TARGET):
        if not row["exclude"]:  # punctuation
            english[row["source_verse"]][row["id"]] = row["text"]
    return greek, english


def rows(file):
    """``(where, Greek words, English words, links)`` of the short verses, in order."""
    greek, english = verses(file)
    links, bad = defaultdict(set), set()
    place = {word: verse for verse, words in english.items() for word in words}
    for record in json.loads(file.read(LINKS))["records"]:
        sources, targets = record["source"], record["target"]
        targets = [word for word in targets if word in place]
        touched = {x[1:9] for x in sources} | {place[x] for x in targets}
        if len(touched) > 1:  # across the border of two verses
            bad |= touched
        for verse in touched:
            links[verse] |= {(one, two) for one in sources for two in targets}
    for verse in sorted(links):
        one, two = greek[verse], english[verse]
        fits = 1 <= len(one) <= MOST_GREEK and 1 <= len(two) <= MOST_ENGLISH
        if fits and links[verse] and verse not in bad:
            numbers = [list(one), list(two)]
            pairs = [[n.index(x) for n, x in zip(numbers, pair, strict=True)]
                     for pair in links[verse]]  # fmt: skip
            yield name_of(verse), [*one.values()], [*two.values()], sorted(pairs)


def name_of(verse):
    """Where a verse stands.

    >>> name_of("43011035")
    'John 11:35'
    """
    return f"{BOOKS[int(verse[:2]) - 40]} {int(verse[2:5])}:{int(verse[5:])}"


def main(path):
    """Write the file; return its sum."""
    wheel = Path(path).read_bytes()
    found = hashlib.sha256(wheel).hexdigest()
    if found != WHEEL_SHA256:
        raise ValueError(f"{path}: expected sha256 {WHEEL_SHA256}, found {found}")
    lines = []
    for where, greek, english, links in rows(zipfile.ZipFile(io.BytesIO(wheel))):
        pairs = " ".join(f"{i}-{j}" for i, j in links)
        lines.append("\t".join([where, " ".join(greek), " ".join(english), pairs]))
    data = gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0)
    FILE.write_bytes(data)
    print(f"{len(lines):,} verses, {len(data):,} bytes")
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    new = main(sys.argv[1])
    print(new, "as before" if new == SHA256 else "- new")
