"""Set where the course is published, in pyproject.toml and in every text that is made from it.

    python tools/repository.py https://github.com/ORG/NAME [--ref v1.0] [--email a@b.org] [--editors "A. One, B. Two"]

The ref is the branch or tag that the Colab buttons open and the install cells install. Who edits the course is named in
its citation, on its pages and in its package; the address for mail is shown by an index of packages.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from publisher import BRANCH, ROOT, UNSET, Publisher, make_publisher, publisher
from readme import write as write_readme

# What a page says to readers of a copy without an address.
_UNTIL = re.compile(r"(?ms)^<!-- until the course has an address -->\n.*?^<!-- until then -->\n\n?")


def rewrite(text: str, old: Publisher, new: Publisher) -> str:
    """The text with every address of the old repository replaced: its ref, itself, its pages."""
    # github.com/ORG/NAME, Colab's /github/ORG/NAME and badges; a bare ORG/NAME may be a path of ours.
    place = rf"(?P<host>github\.com[/:]|/github/(?:[a-z-]+/)*|githubusercontent\.com/){re.escape(old.slug)}"
    place += r"(?![\w-]|\.(?!git\b)\w)"
    ref = rf"(?P<between>(?:\.git)?@|/(?:blob|tree|raw|edit)/|/(?=[\w.-]+/)){re.escape(old.ref)}(?![\w-]|\.\w)"
    text = re.sub(place + ref, lambda match: f"{match['host']}{new.slug}{match['between']}{new.ref}", text, flags=re.I)
    text = re.sub(place, lambda match: f"{match['host']}{new.slug}", text, flags=re.I)
    # A release has its pages in a folder of its own, which the old address may hold and the new one may need.
    text = re.sub(f"{re.escape(old.pages_url)}(?=book/)", new.pages_url, text, flags=re.I)
    pages = rf"https://{re.escape(old.org)}\.github\.io/{re.escape(old.name)}(?![\w-])"
    return re.sub(pages, new.home_url.rstrip("/"), text, flags=re.I)


def _set_ref(text: str, new: Publisher) -> str:
    """pyproject.toml with the new ref."""
    form = r'(?ms)(^\[tool\.attn_course\]\n(?:(?!^\[).)*?^ref\s*=\s*)"[^"\n]*"'
    text, count = re.subn(form, lambda match: f'{match[1]}"{new.ref}"', text)
    if count != 1:
        raise ValueError("pyproject.toml has no line 'ref = \"...\"' under [tool.attn_course]")
    return text


def _set_email(text: str, email: str) -> str:
    """pyproject.toml with the authors' address for mail."""
    if not re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", email):
        raise ValueError(f"the e-mail address must be written NAME@HOST, got {email!r}")
    form = r'(?m)^(authors = \[\{ name = "[^"]*")(?:, email = "[^"]*")?( \}.*\])$'
    text, count = re.subn(form, lambda match: f'{match[1]}, email = "{email}"{match[2]}', text)
    if count != 1:
        raise ValueError('pyproject.toml has no line "authors = [{ name = ... }]"')
    return text


def _set_editors(path: Path, text: str, names: list[str]) -> str:
    """A file that names the authors, with the editors in their place: package, citation, pages, BibTeX."""
    package = ", ".join(f'{{ name = "{name}" }}' for name in names)
    listed = "".join(f"  - name: {name}\n" for name in names)
    rules = {
        "pyproject.toml": (r"(?m)^authors = \[.*\]$", f"authors = [{package}]"),
        "CITATION.cff": (r"(?m)^authors:\n(?:  .*\n)+", f"authors:\n{listed}"),
        "_config.yml": (r"(?m)^author: .*$", f"author: {', '.join(names)}"),
        "intro.md": (r"(?m)^  author = \{.*\},$", f"  author = {{{' and '.join(f'{{{name}}}' for name in names)}}},"),
    }
    if path.name not in rules:
        return text
    pattern, replacement = rules[path.name]
    return re.sub(pattern, lambda _: replacement, text, count=1)


def editors_of(text: str) -> list[str]:
    """The names of an argument, parted by commas. Raises ValueError for what is no name."""
    names = [" ".join(name.split()) for name in text.split(",")]
    if not all(re.fullmatch(r"[^\W\d_][^\"\\{}:#\n]*", name) for name in names):
        raise ValueError(f"editors must be names parted by commas, got {text!r}")
    return names


def text_files(root: Path) -> list[Path]:
    """The files that git tracks, and new ones that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    paths = [root / name for name in sorted(set(listed.split("\0"))) if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def read_text(path: Path) -> str | None:
    """The file's text with its own line ends, or None for a file that holds none, such as an image."""
    content = path.read_bytes()
    try:
        return None if b"\0" in content else content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def move(
    root: Path, url: str, ref: str | None = None, email: str | None = None, editors: str | None = None
) -> list[Path]:
    """Set the repository of the course at `root`; returns the files that changed."""
    old, names = publisher(root), editors_of(editors) if editors else []
    new = make_publisher(url, ref or old.ref)
    changed = []
    for path in text_files(root):
        text = read_text(path)
        if text is None:
            continue
        moved = rewrite(text, old, new)
        if path.suffix == ".md" and old.org == UNSET != new.org:
            moved = _UNTIL.sub("", moved)
        if names and path.parent in (root, root / "book"):
            moved = _set_editors(path, moved, names)
        if path == root / "pyproject.toml":
            moved = _set_ref(moved, new)
            moved = _set_email(moved, email) if email else moved
        if moved != text:
            path.write_bytes(moved.encode("utf-8"))
            changed.append(path)
    if write_readme(root) and root / "README.md" not in changed:
        changed.append(root / "README.md")
    if publisher(root) != new:
        raise ValueError("pyproject.toml does not hold the new repository: set [project.urls] by hand")
    return changed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="https://github.com/ORG/NAME")
    parser.add_argument("--ref", help="branch or tag; the present one by default")
    parser.add_argument("--email", help="the authors' address for mail; the present one, or none, by default")
    parser.add_argument("--editors", help="their names, parted by commas; the present ones by default")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        changed = move(options.root, options.url, options.ref, options.email, options.editors)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in changed:
        print(path.relative_to(options.root))
    print(f"{len(changed)} files changed. The next make installs the package anew.")
    print(f"Colab opens notebooks of one framework from the branch {BRANCH}, which the first publishing writes.")
    print("Next: commit, push, and choose the settings on GitHub that docs/publishing.md lists.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
