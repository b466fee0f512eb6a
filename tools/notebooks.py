"""The chapters' notebooks: build them from the .md files, hand their outputs to the book, compare them.

python tools/notebooks.py build [02 ...]        execute and write book/02_x.ipynb, with a note of it
python tools/notebooks.py build --no-execute    prose, badge and install cell only; keeps the outputs
python tools/notebooks.py build --as-needed     that where no code, printed source or record has changed, else all
python tools/notebooks.py fill                  what the book is built from: outputs, and the notebooks of one framework
python tools/notebooks.py check [02 ...]        run copies again under nbval and compare
python tools/notebooks.py check --again [02 ..] also those that passed here and have not changed since
python tools/notebooks.py alone [02 ...]        run the notebooks of one framework without the other, shortened

Those of both frameworks are committed beside their .md, with outputs. Those of one are made in _build/notebooks.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import nbformat
from affected import Repository
from chapters import ALONE, alone_paths, mismatch, read_notebook, read_source, sources
from execute import SANITIZE, CellFailed, compare, execute, execute_alone, outdated_sources
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from mystmd import Book
from page_rules import leftover_faults, text_of
from publisher import ROOT
from render import cached_copy, keep_outputs, render, render_alone
from status import digest_of_records, note

from attn_course.files import ending_in_one_line, replacing, write_text
from attn_course.records import versions

CACHE = Path("_build", ".jupyter_cache")  # _config.yml names the same folder
PASSED = Path("_build", "notebooks_passed.json")  # chapters, and the state in which each passed


def build(root: Path, selected: list[str], run: bool = True, as_needed: bool = False) -> None:
    """Write the notebooks of the selected chapters, all of them without a selection."""
    book = Book.read(root)
    for source in sources(root, selected):
        target = source.with_suffix(".ipynb")
        if as_needed:
            run = not target.exists() or _changed(source, read_notebook(target))
        if left := leftover_faults(text_of(source)):
            raise ValueError(f"book/{source.name} is a skeleton: {'; '.join(left[:3])}")
        notebook = render(source, book)
        started = time.perf_counter()
        if run:
            execute(notebook, f"book/{target.name}")
            note(notebook, time.perf_counter() - started, versions(), source)
        elif target.exists():
            keep_outputs(notebook, read_notebook(target))
        nbformat.validate(notebook)
        with replacing(target) as new:
            nbformat.write(notebook, new)
        print(f"book/{target.name}: {time.perf_counter() - started:.1f} s", flush=True)
    write_alone(root, selected, book)


def _changed(source, notebook) -> bool:
    if mismatch(read_source(source), notebook) or outdated_sources(notebook):
        return True
    return notebook.metadata.get("executed", {}).get("records") != digest_of_records(source)


def write_alone(root: Path, selected: list[str] | None = None, book: Book | None = None) -> dict[Path, str]:
    """Write the notebooks of one framework, made of the .md files alone; returns each path with its framework."""
    book, found = book or Book.read(root), {}
    for source in sources(root, selected):
        made = render_alone(source, book)
        for framework, path in alone_paths(source).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as new:
                nbformat.write(made[framework], new)
            found[path] = framework
    return found


def _matching(source: Path):
    """A chapter's .md and .ipynb. Raises ValueError that says what to run where they don't match."""
    what = f"book/{source.stem}: run make notebooks CH={source.stem[:2]}"
    if not (target := source.with_suffix(".ipynb")).exists():
        raise ValueError(f"{what} (there is no .ipynb)")
    pair = read_source(source), read_notebook(target)
    if reason := mismatch(*pair):
        raise ValueError(f"{what} ({reason})")
    return pair


def fill(root: Path) -> None:
    """Put the notebooks' outputs into the cache, so that building the book executes nothing; write what it hands out.

    The builder finds a notebook by its code cells and would execute one that it does not find. What was filled in and
    follows from the same files is left as it is.
    """
    chapters, filled = sources(root), root / CACHE / "filled.json"
    book = Book.read(root)
    titles = {name: value for name, value in vars(book).items() if name != "citations"}
    shared = repr(titles) + _digest(sorted([*(root / "book").glob("*.bib"), *Path(__file__).parent.glob("*.py")]))
    pairs = {x.stem: [path for path in (x, x.with_suffix(".ipynb")) if path.exists()] for x in chapters}
    states = {stem: hashlib.sha256((shared + _digest(paths)).encode()).hexdigest() for stem, paths in pairs.items()}
    kept = json.loads(filled.read_text()) if filled.exists() else {}
    made = {x: all(path.exists() for path in alone_paths(x).values()) for x in chapters}
    left = [source for source in chapters if not made[source] or kept.get(source.stem) != states[source.stem]]
    bundles = [CacheBundleIn(cached_copy(*_matching(source)), str(source)) for source in left]
    cache = get_cache(str(root / CACHE))
    for bundle in bundles:
        cache.cache_notebook_bundle(bundle, check_validity=True, overwrite=True)
    if left:
        write_alone(root, [source.stem for source in left], book)
        write_text(filled, json.dumps(states, indent=1))
    print(f"outputs of {len(chapters)} notebooks, {len(left)} new, are in {CACHE}, those of one framework in {ALONE}")


def _digest(paths: list[Path]) -> str:
    found = hashlib.sha256(sys.version.encode())
    for path in paths:
        found.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return found.hexdigest()


def state(repository: Repository, source: Path) -> str:
    """What a chapter's outputs follow from: its two files, what it needs, the locked versions, what nbval overlooks."""
    root = repository.root
    needed = [root / file for file in sorted(repository.needed(str(source.relative_to(root))))]
    locks = sorted([*root.glob("requirements.txt"), *root.glob("requirements/*.txt")])
    return _digest([source.with_suffix(".ipynb"), *needed, *locks, SANITIZE])


def check(root: Path, selected: list[str], jobs: int, again: bool = False) -> int:
    """Run the notebooks that have not passed as they are now, or all, and compare: the exit code is pytest's."""
    chosen = sources(root, selected)
    for source in chosen:
        _matching(source)  # nbval would pass a cell that was never executed
    passed = json.loads((root / PASSED).read_text()) if (root / PASSED).exists() else {}
    repository = Repository(root)
    states = {source.stem: state(repository, source) for source in chosen}
    left = [source for source in chosen if again or passed.get(source.stem) != states[source.stem]]
    if len(left) < len(chosen):
        print(f"notebooks that passed as they are: {len(chosen) - len(left)} (AGAIN=yes runs them too)", flush=True)
    if not left:
        return 0
    code, good = compare([source.with_suffix(".ipynb") for source in left], jobs)
    kept = passed | {source.stem: states[source.stem] if source.stem in good else "" for source in left}
    (root / PASSED).parent.mkdir(exist_ok=True)
    write_text(root / PASSED, json.dumps(kept, indent=1))
    return code


def run_alone(root: Path, selected: list[str], jobs: int = 2) -> None:
    """Make the notebooks of one framework and run them where the other can't be imported, some at once."""
    found = write_alone(root, selected)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        running = [pool.submit(_run_one_alone, path, framework) for path, framework in found.items()]
        try:
            for path, done in zip(found, running, strict=True):
                print(f"{path.name}: {done.result():.1f} s", flush=True)
        finally:
            pool.shutdown(cancel_futures=True)  # after a failure


def _run_one_alone(path: Path, framework: str) -> float:
    """Seconds that a notebook took."""
    started = time.perf_counter()
    execute_alone(read_notebook(path), path.name, framework)
    return time.perf_counter() - started


def _number(text: str) -> int:
    return os.cpu_count() or 1 if text == "auto" else int(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository; the one of this file by default")
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="write the notebooks")
    building.add_argument("chapters", nargs="*", metavar="CH")
    how = building.add_mutually_exclusive_group()
    how.add_argument("--no-execute", action="store_true", help="keep the outputs of unchanged cells")
    how.add_argument("--as-needed", action="store_true", help="execute the chapters whose code or records changed")
    commands.add_parser("fill", help="outputs into the book's cache")
    checking = commands.add_parser("check", help="compare the outputs")
    checking.add_argument("chapters", nargs="*", metavar="CH")
    checking.add_argument("--jobs", type=_number, default=2, help="notebooks that run at once; auto: one a core")
    checking.add_argument("--again", action="store_true", help="also those that passed as they are")
    running = commands.add_parser("alone", help="run the notebooks of one framework")
    running.add_argument("chapters", nargs="*", metavar="CH")
    running.add_argument("--jobs", type=_number, default=2, help="notebooks that run at once; auto: one a core")
    options = parser.parse_args(arguments)
    try:
        if options.command == "alone":
            run_alone(options.root, options.chapters, options.jobs)
            return 0
        if options.command == "check":
            return check(options.root, options.chapters, options.jobs, options.again)
        if options.command == "fill":
            fill(options.root)
        else:
            build(options.root, options.chapters, not options.no_execute, options.as_needed)
    except (ValueError, CellFailed) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    with ending_in_one_line("every notebook is the old one or the new one"):
        sys.exit(main())
