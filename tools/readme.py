"""The table of chapters in README.md, from their titles, the map of book/intro.md and the minutes of book/teaching.md.

python3 tools/readme.py       (`make faces` runs it)
"""

from __future__ import annotations

import re
from pathlib import Path

from publisher import ROOT, publisher

BETWEEN = re.compile(r"(?s)(?<=<!-- chapters -->\n).*?(?=<!-- end of chapters -->)")
_TOLD = re.compile(r"(?m)^(\d*) \| (\w+) \| [^|]+ \| \d \| (?:project: |capstone: )?(.*)$")


def table(root: Path = ROOT) -> str:
    """A row for each stop of the map: number, title as a link to its page, what it adds, minutes to read."""
    intro, teaching = ((root / "book" / f"{name}.md").read_text(encoding="utf-8") for name in ("intro", "teaching"))
    minutes = dict(re.findall(r"(?m)^\| \{doc\}`[^`]*<(\w+)>` \|.*?\| (\d+) \| \d+ \|$", teaching))
    lines = ["| | Chapter | What it adds | Minutes |", "|---:|---|---|---:|"]
    for number, page, adds in sorted(_TOLD.findall(intro), key=lambda row: (row[1][:2], "_project" in row[1])):
        title = re.search(r"(?m)^# (.+)$", (root / "book" / f"{page}.md").read_text(encoding="utf-8"))[1]
        link = f"[{title}]({publisher(root).page_url(f'book/{page}')})"
        lines.append(f"| {number} | {link} | {adds} | {minutes.get(page, '')} |")
    return "\n".join(lines) + "\n"


def write(root: Path = ROOT) -> None:
    """Put the table into README.md, where that has a place for it."""
    path = root / "README.md"
    if path.exists():
        text = path.read_text(encoding="utf-8")
        path.write_text(BETWEEN.sub(lambda _: table(root), text), encoding="utf-8")


if __name__ == "__main__":
    write()
