"""What is derived in README.md: who edits the course and its version, and the table of chapters.

The chapters are those of the map in book/intro.md, the minutes those of book/teaching.md.

python3 tools/readme.py       (`make derived` runs it)
"""

import re
from pathlib import Path

from publisher import ROOT, Publisher, authors, publisher, version

STATE = re.compile(r"(?s)(?<=<!-- state -->\n).*?(?=<!-- end of state -->)")
BETWEEN = re.compile(r"(?s)(?<=<!-- chapters -->\n).*?(?=<!-- end of chapters -->)")
MINUTES = re.compile(r"(?m)^\| \{doc\}`[^`]*<(\w+)>` \|.*?\| (\d+) \| (\d+) \|$")
_TOLD = re.compile(r"(?m)^(\d*) \| (\w+) \| ([^|]+) \| \d \| (.*)$")


def table(root: Path = ROOT) -> str:
    """A row for each stop of the map: number, title as a link, what it adds, minutes. The core path is bold."""
    intro, teaching = ((root / "book" / f"{name}.md").read_text(encoding="utf-8") for name in ("intro", "teaching"))
    minutes = {page: (int(read), int(more)) for page, read, more in MINUTES.findall(teaching)}
    lines, core = ["| | Chapter | What it adds | Reading, min | Exercises, min |", "|---:|---|---|---:|---:|"], []
    for number, page, where, adds in sorted(_TOLD.findall(intro), key=lambda row: (row[1][:2], "_project" in row[1])):
        title = re.search(r"(?m)^# (.+)$", (root / "book" / f"{page}.md").read_text(encoding="utf-8"))[1]
        bold, (read, more) = "**" * (where == "core"), minutes.get(page, (0, 0))
        core += [(read, more)] * bool(bold)
        link = f"{bold}[{title}]({publisher(root).page_url(f'book/{page}')}){bold}"
        lines.append(f"| {number} | {link} | {adds} | {read or ''} | {more or ''} |")
    reading, answering = (round(sum(column) / 60) for column in zip(*core, strict=True))
    told = f"**Bold** is the core path, about {reading + answering} hours: {reading} to read, {answering} for the "
    told += "exercises; nothing on it needs the others."
    return "\n".join([told, "", *lines]) + "\n"


def state(root: Path = ROOT) -> str:
    """Who edits the course, its version, and the day of its release if it had one."""
    day = re.search(r'(?m)^date-released: "(.+)"$', (root / "CITATION.cff").read_text(encoding="utf-8"))
    told = f" of {day[1]}" if day else ", not released yet"
    return f"Edited by {authors(root)} · version {version(root)}{told} · [changes](CHANGELOG.md)\n"


def write(root: Path = ROOT) -> bool:
    """Put both into README.md, each where that has a place for it; whether that changed the file."""
    path = root / "README.md"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    new = STATE.sub(lambda _: state(root), BETWEEN.sub(lambda _: table(root), old))
    if new != old:
        path.write_text(new, encoding="utf-8")
    return new != old


def absolute(text: str, here: Publisher) -> str:
    """README.md as it stands outside its repository, on an index of packages: its links and pictures have addresses."""
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:|#)", rf"\g<1>{here.raw_url('')}", text)
    return re.sub(r"(?<=\]\()(?!https?:|#)", here.file_url(""), text)


if __name__ == "__main__":
    write()
