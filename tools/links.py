"""Links in the repository's own Markdown, without a network: files and headings that they name exist.

    python tools/links.py

The chapters are left out: their links are checked on the built pages. Links to other hosts are looked up once a week
by a workflow, since a host that is down must not stop a change.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote

from publisher import ROOT, publisher
from repository import text_files

_CODE = re.compile(r"(?ms)^(`{3,}|~{3,}).*?^\1\s*$|`[^`\n]+`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"(?m)^\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)")


def pages(root: Path) -> list[Path]:
    """The Markdown that is read as it stands, on the repository's site."""
    listed = [path for path in text_files(root) if path.suffix == ".md"]
    left_out = (root / "book", root / "tests")
    return [path for path in listed if path.parent not in left_out and root / "tests" not in path.parents]


def targets(text: str) -> list[str]:
    """The links of a text; what stands in code is no link."""
    text = _CODE.sub("", text)
    return [*_LINK.findall(text), *_REFERENCE.findall(text)]


def anchors(text: str) -> set[str]:
    """The names that the site gives to headings: lower case, hyphens for spaces, no punctuation."""
    titles = re.findall(r"(?m)^#{1,6}\s+(.*?)\s*#*$", re.sub(r"(?ms)^(`{3,}).*?^\1\s*$", "", text))
    found: dict[str, int] = {}
    names = set()
    for title in titles:
        name = re.sub(r"[^\w\- ]", "", re.sub(r"[`*_]", "", title).lower()).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


def broken(root: Path, page: Path, link: str) -> str | None:
    """Why a link leads nowhere, or None. One into the repository's own site is read as its file."""
    here = publisher(root)
    for start in (f"{here.url}/blob/{here.ref}/", f"{here.url}/raw/{here.ref}/"):
        if link.startswith(start):
            return broken(root, root / "README.md", link.removeprefix(start))
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return "an address without s: http" if link.startswith("http://") else None
    path, _, anchor = link.partition("#")
    target = (root / path.lstrip("/") if path.startswith("/") else page.parent / unquote(path)) if path else page
    if not target.exists():
        return "there is no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
        return "there is no such heading"
    return None


def main(root: Path = ROOT) -> int:
    found, count = [], 0
    for page in pages(root):
        for link in targets(page.read_text(encoding="utf-8")):
            count += 1
            if reason := broken(root, page, link):
                found.append(f"{page.relative_to(root)}: {link}: {reason}")
    print("\n".join([*found, f"{count} links in {len(pages(root))} Markdown files, {len(found)} broken"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
