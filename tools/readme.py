"""The table of chapters in README.md, from their titles, the map of book/intro.md and the minutes of book/teaching.md.

python3 tools/readme.py       (`make faces` runs it)
"""

import re
from pathlib import Path

from publisher import ROOT, publisher

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


def write(root: Path = ROOT) -> None:
    """Put the table into README.md, where that has a place for it."""
    path = root / "README.md"
    if path.exists():
        text = path.read_text(encoding="utf-8")
        path.write_text(BETWEEN.sub(lambda _: table(root), text), encoding="utf-8")


if __name__ == "__main__":
    write()
