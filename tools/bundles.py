"""The files of a release: wheel, notebooks, book, EPUB, PDF, slides, figures; packed to the same bytes every time."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from chapters import sources
from figures import write_figures
from notebooks import fill, write_alone
from packing import folder, pack
from pdf import write_pdf
from publisher import publisher, version
from readme import absolute

TEXTS = ("LICENSE", "LICENSE-TEXT", "CITATION.cff")


def notebooks(root: Path) -> dict[str, list[Path]]:
    """The notebooks by what they are in: both frameworks, or one alone."""
    found: dict[str, list[Path]] = {"notebooks": [source.with_suffix(".ipynb") for source in sources(root)]}
    for path, framework in write_alone(root).items():
        found.setdefault(f"notebooks-{framework}", []).append(path)
    return found


def run(root: Path, *command: str | Path, **variables: str) -> None:
    """A command in the tree, whose own package it imports."""
    settings = {**os.environ, "PYTHONPATH": str(root / "src"), **variables}
    done = subprocess.run([*map(str, command)], cwd=root, env=settings, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{Path(command[0]).name} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def wheel(root: Path, out: Path) -> Path:
    """The package, built from a copy, so that nothing stays behind in the tree."""
    with tempfile.TemporaryDirectory(prefix="attn_course_") as made:
        copy = Path(made, "source")
        shutil.copytree(root / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for path in (root / "pyproject.toml", *root.glob("LICENSE*")):
            shutil.copy(path, copy)
        text = absolute((root / "README.md").read_text(encoding="utf-8"), publisher(root))
        (copy / "README.md").write_text(text, encoding="utf-8")
        run(root, sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, copy)
    return next(out.glob("*.whl"))


def build_book(root: Path, builder: str = "html") -> Path:
    """The book in one of its forms: html or epub. Returns its folder."""
    tool = Path(sys.executable).with_name("jupyter-book")
    for left in (builder, ".doctrees", "jupyter_execute"):  # of an earlier build, which would get into this one
        shutil.rmtree(root / "_build" / left, ignore_errors=True)
    fill(root)
    kind = () if builder == "html" else ("--builder", "custom", "--custom-builder", builder)
    run(root, tool, "build", ".", "-W", "-n", "--keep-going", *kind, ATTN_COURSE_BUILDER=builder)
    if builder != "html":  # the next book for the site reads its pages anew
        shutil.rmtree(root / "_build" / ".doctrees")
    return root / "_build" / builder


def build_all(root: Path, out: Path) -> None:
    """Everything that a release attaches, into an empty folder, with the sums of all files."""
    own, tools = version(root), root / "tools"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    wheel(root, out)
    texts = {name: root / name for name in TEXTS}
    for name, paths in notebooks(root).items():
        pack(out / f"attn_course-{own}-{name}.zip", {f"{name}/{path.name}": path for path in paths} | texts)
    book = build_book(root)
    pack(out / f"attn_course-{own}-book.zip", folder(book, f"v{own}"))
    run(root, sys.executable, tools / "slides.py")
    pack(out / f"attn_course-{own}-slides.zip", folder(root / "_build" / "slides", "slides") | texts)
    write_figures(root, root / "_build" / "figures")
    pack(out / f"attn_course-{own}-figures.zip", folder(root / "_build" / "figures", "figures"))
    for framework in ("torch", "tf"):  # PDFs hold the time at which they were printed
        shutil.copy(write_pdf(root, framework), out / f"attn_course-{own}-{framework}.pdf")
    epub = next(build_book(root, "epub").glob("*.epub"))
    shutil.copy(epub, out / f"attn_course-{own}.epub")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")


def own_version(name: str, kind: str = "book") -> str | None:
    """The version of a packed book, or of another kind of file, by its name, or None."""
    found = re.fullmatch(rf"attn_course-(\d+\.\d+\.\d+)-{kind}\.zip", name)
    return found and found[1]
