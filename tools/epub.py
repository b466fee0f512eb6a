"""Checks of the e-book: every page is XML, and nothing in it asks another host for a picture, a style or a script.

python tools/epub.py _build/epub/attn_course.epub
"""

import argparse
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

_LOADING = {"img": "src", "image": "href", "script": "src", "link": "href", "source": "src", "iframe": "src"}


def faults(path: Path) -> list[str]:
    """What is wrong in the e-book's pages."""
    found, pages = [], 0
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        for name in sorted(names):
            if not name.endswith((".xhtml", ".opf", ".ncx")):
                continue
            pages += 1
            try:
                tree = ElementTree.fromstring(archive.read(name))
            except ElementTree.ParseError as error:
                found.append(f"{name} is not XML: {error}")
                continue
            for element in tree.iter():
                kind = element.tag.rpartition("}")[2]
                address = element.get(_LOADING.get(kind, ""), "")
                if address.startswith(("http:", "https:", "//")):
                    found.append(f"{name}: a {kind} of another host, {address}")
    return found + ([] if pages else [f"{path.name} has no pages"])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    path = parser.parse_args(arguments).path
    found = faults(path)
    print("\n".join([*found, f"{path}: {path.stat().st_size / 1e6:.1f} MB, {len(found)} faults"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
