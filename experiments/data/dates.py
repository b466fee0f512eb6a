"""Makes the dates' snapshot: ``python -m experiments.data.dates [FOLDER]``.

Needs Babel in exactly the version below, for CLDR changes its formats from release to
release. Nothing is drawn by a random generator: the days are put in the order of their
SHA-256, and locales and formats take turns. So every run, on any version of Python or
NumPy, writes the same text.
"""

import gzip
import hashlib
import io
import sys
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

from attn_course.tasks.dates import COLUMNS, DATA, SHA256

BABEL = "2.18.0"
# By the order that their full format writes; a test reads it off the data again.
LOCALES = {
    "month day year": ("en_US", "fil"),
    "day month year": (
        "en_GB",
        "de",
        "fr",
        "es",
        "pt",
        "pl",
        "fi",
        "tr",
        "vi",
        "el",
        "cy",
        "ru",
    ),
    "year month day": ("hu", "lt", "eu", "ja", "mn"),
    "year day month": ("lv",),
}
# "full" twice: it holds the long sources, which tell the mechanisms apart.
TURNS = ("full", "long", "full", "medium")
FIRST, LAST = date(1950, 1, 1), date(2049, 12, 31)
SIZES = {"train": 24_000, "dev": 1_000, "test": 3_000}
# So many days of the test split come in every locale (format "full"), side by side.
PARALLEL_DAYS = 8


def rows():
    """All rows in the order of the file, as `COLUMNS`.

    Raises RuntimeError if a source has two targets.
    """
    locales = [locale for group in LOCALES.values() for locale in group]
    days = iter(sorted(all_days(), key=_shuffling_key))
    result = []
    for split, size in SIZES.items():
        if split == "test":
            parallel = [next(days) for _ in range(PARALLEL_DAYS)]
            for day in parallel:
                result += [row(split, locale, "full", day) for locale in locales]
            size -= len(parallel) * len(locales)
        for turn in range(size):
            cycle, position = divmod(turn, len(locales))
            style = TURNS[cycle % len(TURNS)]
            result.append(row(split, locales[position], style, next(days)))
    target_of = {}
    for *_, source, target in result:
        if target_of.setdefault(source, target) != target:
            raise RuntimeError(f"{source!r} means {target_of[source]} and {target}")
    return result


def _shuffling_key(day):
    return hashlib.sha256(day.isoformat().encode()).digest()


def all_days():
    """Every calendar day from `FIRST` to `LAST`."""
    return [FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1)]


def row(split, locale, style, day):
    """One line of the file.

    No-break spaces, which belong to typesetting, become plain ones.
    """
    from babel.dates import format_date

    source = format_date(day, style, locale=locale)
    source = source.replace("\u202f", " ").replace("\u00a0", " ")
    return split, locale, style, source, day.isoformat()


def compressed(text):
    """`text` as gzip bytes without a file name or time: the same at every run."""
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(text.encode("utf-8"))
    return buffer.getvalue()


def readme(lines, sha256):
    """The text of README.md, with the counts and the sum of this very snapshot."""
    import babel.core

    long = Counter(split for split, *_, source, _ in lines if len(source) >= 30)
    cells = ((split, size, long[split]) for split, size in SIZES.items())
    table = "\n".join(f"| {split} | {n:,} | {many:,} |" for split, n, many in cells)
    groups = LOCALES.items()
    orders = "\n".join(f"- {order}: {', '.join(group)}" for order, group in groups)
    cldr = babel.core.get_global("cldr")["version"]
    locales = [locale for group in LOCALES.values() for locale in group]
    languages = {locale.partition("_")[0] for locale in locales}
    return f"""# Dates in {len(languages)} languages, English in two ways

`dates.tsv.gz`: localized dates and their ISO 8601 form. UTF-8, tab-separated, columns \
{", ".join(COLUMNS)}.

| split | pairs | with 30 or more characters |
|---|---|---|
{table}

- **Source**: the date formats of the Unicode CLDR, release {cldr}, \
as Babel {BABEL} writes them.
- **License**: the data is under the Unicode License V3, `LICENSE-CLDR.txt`, \
as Babel ships it; the code of this folder is under the license of the repository.
- **sha256** of `dates.tsv.gz`: `{sha256}`, checked at every load.
- **Made by** `python -m experiments.data.dates` (also this page), \
the same bytes at every run. A new sum goes into `SHA256` in `__init__.py`.

Days from {FIRST} to {LAST}. No day is in two splits, and a day appears once, \
but for {PARALLEL_DAYS} days
of the test split that come first and in every locale \
(es and pt write some of these alike, so a few sources
appear twice, with one target). No source has two targets. \
The {len(locales)} locales take turns, and so do the formats:
{", ".join(TURNS)}. "short" is left out, because it is ambiguous. \
No-break spaces (U+202F, U+00A0) are
plain spaces here.

These are templates filled in from real locale data, \
not sentences that a person wrote: a perfect score says
that the formats were learned, no more. Lithuanian "medium" is the ISO date itself. \
The default font of
Matplotlib has no glyphs for ja.

Order of the parts in "full":
{orders}
"""


def main(folder=None):
    """Write the snapshot into `folder` (None: where it lies); return its sha256.

    Writes dates.tsv.gz, README.md and LICENSE-CLDR.txt.
    """
    import babel

    if babel.__version__ != BABEL:
        raise RuntimeError(
            f"the snapshot is made with Babel {BABEL}, found {babel.__version__}"
        )
    folder = Path(folder) if folder else DATA.parent
    lines = rows()
    data = compressed("".join("\t".join(line) + "\n" for line in (COLUMNS, *lines)))
    sha256 = hashlib.sha256(data).hexdigest()
    licence = Path(babel.__file__).parent / "locale-data" / "LICENSE.unicode"
    (folder / "dates.tsv.gz").write_bytes(data)
    (folder / "README.md").write_text(readme(lines, sha256), encoding="utf-8")
    (folder / "LICENSE-CLDR.txt").write_bytes(licence.read_bytes())
    return sha256


if __name__ == "__main__":
    new = main(*sys.argv[1:])
    mend = f"- new: put it into SHA256 in __init__.py (now {SHA256})"
    print(new, "as before" if new == SHA256 else mend)
