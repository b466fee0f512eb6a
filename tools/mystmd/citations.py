"""Citations in words: "Bahdanau et al. (2015)" and the list of references, from the book's BibTeX file."""

from pathlib import Path
from typing import Self

from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.richtext import Text

_VENUES = ("journal", "booktitle", "howpublished", "publisher", "institution", "school")


def _plain(latex: str) -> str:
    return str(Text.from_latex(latex))


class Citations:
    """The works of one BibTeX file, by key."""

    def __init__(self, entries: BibliographyData):
        self._entries = entries.entries

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file's works; a missing file holds none, so each citation is then refused by its key."""
        return cls(parse_file(str(path)) if path.exists() else BibliographyData())

    def _entry(self, key: str) -> Entry:
        if key not in self._entries:
            raise ValueError(f"the citation {key!r} is not in references.bib")
        return self._entries[key]

    def key(self, key: str) -> str:
        """The key as the file writes it; raises ValueError for an unknown one."""
        return self._entry(key).key

    def authors(self, key: str) -> str:
        """Last names in the page's manner: one, two joined by "and", more with "et al."."""
        entry = self._entry(key)
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [_plain(" ".join(person.prelast_names + person.last_names)) for person in people]
        if not names:
            return self.title(key)
        if len(names) > 2 or names[-1] == "others":
            return f"{names[0]} et al."
        return " and ".join(names)

    def title(self, key: str) -> str:
        return _plain(self._entry(key).fields.get("title", key))

    def year(self, key: str) -> str:
        return self._entry(key).fields.get("year", "n.d.")

    def textual(self, keys: list[str]) -> str:
        return ", ".join(f"{self.authors(key)} ({self.year(key)})" for key in keys)

    def parenthetical(self, keys: list[str]) -> str:
        return "(" + "; ".join(f"{self.authors(key)}, {self.year(key)}" for key in keys) + ")"

    def reference(self, key: str) -> str:
        """One line of the list: authors, year, title, venue and address."""
        entry = self._entry(key)
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [_plain(str(person)) for person in people]
        shown = "; ".join(names[:8]) + (" and others" if len(names) > 8 else "")
        venue = next((_plain(entry.fields[name]) for name in _VENUES if name in entry.fields), "")
        parts = [f"{shown} ({self.year(key)})" if shown else f"({self.year(key)})", f"*{self.title(key)}*"]
        parts += [part for part in (venue, self._address(entry)) if part]
        return "- " + ". ".join(parts)

    def references(self, keys: set[str]) -> str:
        """The list of references, by first author, year and title."""
        ordered = sorted(keys, key=lambda key: (self.authors(key).lower(), self.year(key), self.title(key)))
        return "\n".join(self.reference(key) for key in ordered)

    @staticmethod
    def _address(entry: Entry) -> str:
        if "doi" in entry.fields:
            return f"<https://doi.org/{entry.fields['doi']}>"
        if "eprint" in entry.fields:
            return f"<https://arxiv.org/abs/{entry.fields['eprint']}>"
        return f"<{entry.fields['url']}>" if "url" in entry.fields else ""
