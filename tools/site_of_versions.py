"""What is published: the newest book at the site's root, each release's book at an address of its own, the notebooks.

    python tools/site_of_versions.py BOOKS      BOOKS holds the releases' attn_course-1.2.3-book.zip, -notebooks-tf.zip
                                                and -notebooks-torch.zip; writes _build/site and _build/branch

`versions.html` lists the books, `slides` holds the decks of `make slides`. A packed book has one folder, v1.2.3, and
nothing is unpacked from elsewhere in it.
_build/branch becomes the branch `notebooks`, from which Colab opens those of one framework: a folder for the newest
state, main, and one for each release.
"""

import argparse
import html
import re
import shutil
import sys
import zipfile
from pathlib import Path, PurePosixPath

from bundles import own_version
from chapters import ALONE
from publisher import ROOT, publisher, version

PAGE = (ROOT / "tools" / "templates" / "versions.html").read_text(encoding="utf-8")


def unpack(packed: Path, site: Path) -> str:
    """Unpack one release's book into its folder; returns the folder's name. Raises ValueError for a foreign file."""
    folder = f"v{own_version(packed.name)}"
    with zipfile.ZipFile(packed) as archive:
        for name in archive.namelist():
            parts = PurePosixPath(name).parts
            if not parts or parts[0] != folder or ".." in parts:
                raise ValueError(f"{packed.name} holds {name!r}, which is not in its folder {folder}/")
        archive.extractall(site)
    return folder


def assemble(root: Path, books: Path) -> list[str]:
    """Write _build/site; returns the folders of the releases, the newest first."""
    built, site = root / "_build" / "html", root / "_build" / "site"
    if not (built / "index.html").exists():
        raise ValueError("there is no book in _build/html: run make book")
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(built, site)
    if (slides := root / "_build" / "slides").exists():
        shutil.copytree(slides, site / "slides")
    packed = [path for path in books.glob("*.zip") if own_version(path.name)]
    packed.sort(key=lambda path: [int(part) for part in own_version(path.name).split(".")], reverse=True)
    folders = [unpack(path, site) for path in packed]
    here = publisher(root)
    items = "\n".join(
        f'<li><a href="{html.escape(here.home_url)}{name}/">{name.removeprefix("v")}</a></li>' for name in folders
    )
    (site / "versions.html").write_text(PAGE.format(home=here.home_url, items=items), encoding="utf-8")
    return folders


README = """\
Made by the workflow `pages` from the chapters of this repository; edit `book/NN_topic.md` on the branch `main`.

Each notebook is of one framework, without outputs. The Colab buttons of the course open them.
"""


def collect(root: Path, packed: Path) -> Path:
    """Write _build/branch: the notebooks of one framework, a folder for this state and one for each release."""
    branch = root / "_build" / "branch"
    shutil.rmtree(branch, ignore_errors=True)
    shutil.copytree(root / ALONE, branch / publisher(root).ref)
    for path in sorted(packed.glob("*.zip")):
        if number := own_version(path.name, "notebooks-(?:torch|tf)"):
            (branch / f"v{number}").mkdir(exist_ok=True)
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if found := re.fullmatch(r"notebooks-\w+/(\w+\.ipynb)", name):
                        (branch / f"v{number}" / found[1]).write_bytes(archive.read(name))
    (branch / "README.md").write_text(README, encoding="utf-8")
    return branch


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", type=Path, help="a folder with the releases' packed books")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        folders = assemble(options.root, options.books)
        collect(options.root, options.books)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"_build/site: {version(options.root)} and {len(folders)} releases: {', '.join(folders)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
