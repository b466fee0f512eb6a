"""A release: its version, its tag and its files. Nothing is published: that is `git push` of the tag, by hand.

python tools/release.py version 1.2.3   set the version in every file that states it
python tools/release.py tag             check, tag the release on a commit of its own, build its files into dist/
python tools/release.py files           build the files of the tree as it stands into dist/
python tools/release.py notes           print what CHANGELOG.md says of this version
python tools/release.py check v1.2.3    say whether the tree is that of the tag: version, ref, dates, notebooks

The tag stands on a commit beside the branch: there the Colab buttons and the install cells open the tag itself, while
the branch goes on to open its newest state.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import changes
from bundles import build_all
from chapters import read_notebook, sources
from notebooks import build
from publisher import ROOT, UNSET, publisher, version
from readme import write as write_readme
from render import install_cell
from repository import move

NEXT = """\
{tag} stands on a commit of its own; its files are in {out}.
Nothing is published yet. To publish it:  git push origin {tag}
To take it back:  git tag -d {tag}
"""


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def set_version(root: Path, new: str) -> None:
    """Write the version into pyproject.toml, README.md and the install cells; one with a date into CITATION.cff too."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", new):
        raise ValueError(f"VERSION must be written 1.2.3, or 1.2.3.dev0 between releases; got {new!r}")
    dates = {change.version: change.date for change in changes.changes(root)}
    project, citation = root / "pyproject.toml", root / "CITATION.cff"
    text, count = re.subn(r'(?m)^(version = )".*"$', rf'\g<1>"{new}"', project.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError(f'{project.name} must have one line version = "...", it has {count}')
    project.write_text(text, encoding="utf-8")
    # What was not released is not cited as a version.
    released = f'version: {new}\ndate-released: "{dates[new]}"\n' if dates.get(new) else ""
    text = re.sub(r"(?m)^(version|date-released): .*\n", "", citation.read_text(encoding="utf-8"))
    citation.write_text(re.sub(r"(?m)^(cff-version: .*\n)", rf"\g<1>{released}", text), encoding="utf-8")
    write_readme(root)
    build(root, [], run=False)


def disagreements(root: Path) -> list[str]:
    """Where version, CHANGELOG.md, CITATION.cff and notebooks don't say the same."""
    here, own = publisher(root), version(root)
    found = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", own):
        found.append(f"the version is {own}: run make version VERSION=1.2.3")
    released = {change.version: change for change in changes.changes(root)}
    date = released[own].date if own in released else ""
    if not date or not released[own].text:
        found.append(f"CHANGELOG.md has no section '## {own} - YYYY-MM-DD' with a text")
    cited = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {own}\n" not in cited or (date and f'\ndate-released: "{date}"\n' not in cited):
        found.append(f"CITATION.cff names another version or date: run make version VERSION={own}")
    for source in sources(root):
        path = source.with_suffix(".ipynb")
        if not path.exists() or read_notebook(path).cells[1].source != install_cell(here, own).source:
            found.append(f"book/{path.name} is of another version: run make version VERSION={own}")
    return found


def problems(root: Path) -> list[str]:
    """What stands in the way of a release."""
    here, tag = publisher(root), f"v{version(root)}"
    found = ["files are changed and not committed"] if git(root, "status", "--porcelain") else []
    if git(root, "tag", "--list", tag):
        found.append(f"the tag {tag} exists")
    if here.org == UNSET:
        found.append("the repository has no publisher: run make repository URL=https://github.com/ORG/NAME")
    if here.ref != "main":
        found.append(f"the ref is {here.ref}: a release is made of main")
    return found + disagreements(root)


def tag_release(root: Path, out: Path) -> str:
    """Tag the release and build its files. Raises ValueError, and tags nothing, where something is in the way."""
    if found := problems(root):
        raise ValueError("no release:\n" + "\n".join(f"  {problem}" for problem in found))
    here, tag = publisher(root), f"v{version(root)}"
    with tempfile.TemporaryDirectory(prefix="attn_course_") as folder:
        tree = Path(folder, "release")
        git(root, "worktree", "add", "--quiet", "--detach", str(tree), "HEAD")
        try:
            move(tree, here.url, tag)
            git(tree, "commit", "--quiet", "--all", "--no-verify", "--message", f"Release {tag}")
            build_all(tree, out)
            git(tree, "tag", "--annotate", tag, "--message", f"Release {tag}")
        finally:
            git(root, "worktree", "remove", "--force", str(tree))
    return tag


def check_tag(root: Path, tag: str) -> None:
    """Raises ValueError where the tree at `root` is not that of the release `tag`."""
    here, found = publisher(root), disagreements(root)
    if not here.ref == tag == f"v{version(root)}":
        found.append(f"the ref is {here.ref}, the version {version(root)}")
    if found:
        raise ValueError(f"this is not the tree of {tag}:\n" + "\n".join(f"  {problem}" for problem in found))


def notes(root: Path) -> str:
    """What CHANGELOG.md says of the present version."""
    own = version(root)
    return next((change.text for change in changes.changes(root) if change.version == own), "") + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("version").add_argument("version")
    commands.add_parser("check").add_argument("tag")
    for name in ("tag", "files", "notes"):
        commands.add_parser(name)
    options = parser.parse_args(arguments)
    out = options.root / "dist"
    try:
        if options.command == "version":
            set_version(options.root, options.version)
        elif options.command == "tag":
            print(NEXT.format(tag=tag_release(options.root, out), out=out), end="")
        elif options.command == "check":
            check_tag(options.root, options.tag)
        elif options.command == "files":
            build_all(options.root, out)
        else:
            print(notes(options.root), end="")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
