"""What a change can reach: tests, topics of the contract, and chapters, by following imports backwards.

python tools/affected.py                    since the branch left main, with what is not committed
python tools/affected.py --since HEAD~1
python tools/affected.py --topic window     as if this topic's folder had changed
"""

import argparse
import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

from derived import names_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/attn_course"
FACES = [f"{PACKAGE}/{face}.py" for face in ("reference", "pytorch", "tf")]
# They decide what is installed and how tests run: everything may change.
EVERYTHING = re.compile(r"pyproject\.toml|requirements.*|Makefile|tests/(support|both_frameworks|conftest)\.py")
CELL = re.compile(r"(?ms)^```\{code-cell\}[^\n]*\n(.*?)^```")
WORD = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r"""["']([\w./-]+)""")
BANK = f"{PACKAGE}/exercises/bank/"
ANSWERS = "tests/exercises/bank/"  # read by answers.py


class Reached(NamedTuple):
    """Test files; the topics that the contract is asked about, None for all; chapters, as "02"."""

    tests: list[str]
    topics: list[str] | None
    chapters: list[str]


class Repository:
    """The files of a repository and who imports whom, by their paths from its root."""

    def __init__(self, root: Path = ROOT):
        self.root = root
        folders = (PACKAGE, "tests", "tools", "experiments", "book")
        found = [*root.glob("*.py"), *(path for folder in folders for path in sorted((root / folder).rglob("*.*")))]
        self.files = {str(path.relative_to(root)) for path in found if "__pycache__" not in path.parts}
        self.sources = {f for f in self.files if f.endswith(".py") or re.fullmatch(r"book/\d\d_\w+\.md", f)}
        self.texts: dict[str, str] = {}
        self.found: dict[str, set[str]] = {}
        self.homes = self._homes()
        self.data = self._data()

    def text(self, file: str) -> str:
        """A file's text; of a chapter, its code."""
        if file not in self.texts:
            self.texts[file] = self._read(file)
        return self.texts[file]

    def _read(self, file: str) -> str:
        text = (self.root / file).read_text(encoding="utf-8")
        if not file.endswith(".md"):
            return text
        cells = [re.sub(r"(?s)^---\n.*?^---\n|^:[^\n]*\n", "", cell) for cell in CELL.findall(text)]
        return "\n".join(cells)

    def trees(self, file: str) -> list[ast.AST]:
        """A file's syntax tree; of a chapter, one for each line that imports: its cells hold magics too."""
        if file.endswith(".py"):
            return [ast.parse(self.text(file))]
        lines = re.findall(r"(?m)^\s*((?:from [\w.]+ )?import (?:\([^)]*\)|[^\n(]+))", self.text(file))
        return [ast.parse(line) for line in lines]

    def module(self, name: str, near: str) -> str | None:
        """The file of a module: of the package, or beside the file that imports it, in tests or in tools."""
        path = name.replace(".", "/")
        folders = ["src", "", str(Path(near).parent), "tests", "tools"]
        tries = [f"{folder}/{path}{end}".lstrip("/") for folder in folders for end in (".py", "/__init__.py")]
        return next((file for file in tries if file in self.files), None)

    def named(self, file: str) -> set[str]:
        """Every module that a file imports, as absolute dotted names; ``from a import b`` gives a and a.b."""
        names = set()
        package = Path(file).relative_to("src").with_suffix("").parts if file.startswith("src/") else ()
        for node in (node for tree in self.trees(file) for node in ast.walk(tree)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                lead = package[: len(package) - node.level] if node.level else ()
                base = ".".join((*lead, *([node.module] if node.module else [])))
                names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
        return names

    def _homes(self) -> dict[str, set[str]]:
        """Where each name of a public module is defined: it takes all that a topic lists in its ``__all__``."""
        homes: dict[str, set[str]] = {}
        for face in (face for face in FACES if face in self.files):
            for home in (self.module(name, face) for name in self.named(face)):
                for name in names_of(self.root / home) if home else ():
                    homes.setdefault(name, set()).add(home)
        return homes

    def _data(self) -> dict[str, set[str]]:
        """The files of the package that are read and not imported, by what stands for them in a reader's text.

        Exercises by what their names begin with, such as "04."; others by their name up to its first dot and, but for
        records, by the package that holds them.
        """
        data: dict[str, set[str]] = {}
        for file in (file for file in self.files if file.startswith(PACKAGE)):
            path = Path(file)
            if file.startswith(BANK):
                topic = file.removeprefix(BANK).partition("/")[0]
                order = f"{BANK}{topic}/chapter.toml"
                own = re.search(r'(?m)^prefix = "(\w+)"', self.text(order)) if order in self.files else None
                data.setdefault(f"{own[1] if own else topic[:2]}.", set()).add(file)
            elif path.suffix != ".py":
                data.setdefault(path.name.partition(".")[0], set()).add(file)
                if path.parent.name != "records":
                    data.setdefault(self.package(file), set()).add(file)
        return data

    def package(self, file: str) -> str:
        """The nearest package that holds a file: its __init__.py."""
        return next(one for folder in Path(file).parents if (one := f"{folder}/__init__.py") in self.files)

    def needs(self, file: str) -> set[str]:
        """The files that a file imports or reads. Python runs every package on the way to a module."""
        if file not in self.found:
            quoted = QUOTED.findall(self.text(file))
            words = [Path(text).name.partition(".")[:2] for text in quoted]
            read = {one for word, dot in words for key in {word, word + dot} for one in self.data.get(key, ())}
            if file.startswith(BANK):  # what comes before an exercise is named there, and not read
                read = {one for one in read if not one.startswith(BANK)}
            if file.startswith("book/"):  # `source` reads modules that are not imported
                read |= {self.module(text, file) for text in quoted if text.startswith("attn_course.")} - {None}
            around = {f"{folder}/__init__.py" for folder in Path(file).parents} & self.files
            self.found[file] = self.imports(file) | read | around | self.data.get(file, set())
        return self.found[file]

    def needed(self, file: str) -> set[str]:
        """All that a file needs, and what that needs, itself included."""
        found, new = {file}, [file]
        while new:
            one = new.pop()
            more = (self.needs(one) if one in self.sources else set()) - found
            found |= more
            new += more
        return found

    def imports(self, file: str) -> set[str]:
        """The files of the modules that a file imports.

        Of a public module, it needs the names that its text holds; the contract needs all.
        """
        found = {self.module(name, file) for name in self.named(file)} - {None}
        if file not in FACES and found & {*FACES, "tests/support.py"}:
            found -= {*FACES}
            words = self.homes if file.startswith("tests/contract/") else set(WORD.findall(self.text(file)))
            found |= {home for word in words for home in self.homes.get(word, ())}
        if file.startswith("tests/"):
            beside = str(Path(file).parent / "conftest.py")
            found |= {beside} & self.files
        return found - {file}

    def reached(self, changed: set[str]) -> set[str]:
        """All files that need one of these, these included."""
        changed = changed | {file for one in changed for file in self.naming(one)}
        importers: dict[str, set[str]] = {}
        for file in self.sources:
            for needed in self.needs(file):
                importers.setdefault(needed, set()).add(file)
        found, new = set(changed), list(changed)
        while new:
            more = importers.get(new.pop(), set()) - found
            found |= more
            new += more
        return found

    def naming(self, file: str) -> set[str]:
        """Of a file that can't be imported: of the package, the package that holds it; else the files that name it."""
        if file.startswith(ANSWERS):
            return {"tests/exercises/answers.py"}
        if file.endswith(".ipynb") or (file in self.sources and not file.startswith(BANK)):
            return set()
        if file.startswith(PACKAGE):
            return {self.package(file)}
        return {one for one in self.sources if re.search(rf"\b{re.escape(Path(file).name)}\b", self.text(one))}


def folders_of_tests(root: Path = ROOT) -> list[str]:
    """The folders of tests that pytest runs when it is told of none; commands of their own run the others."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["pytest"]["ini_options"]["testpaths"]


def topic_of(file: str) -> str | None:
    """The topic to whose folder a file belongs."""
    parts = Path(file).parts
    inside = parts[:3] in (("src", "attn_course", "mechanisms"), ("src", "attn_course", "models"))
    if not inside or len(parts) < (6 if "parts" in parts else 5):
        return None
    return parts[4] if parts[3] == "parts" else parts[3]


def affected(changed: set[str], repository: Repository) -> Reached:
    """What the change of some files can reach."""
    files = repository.files
    everything = any(EVERYTHING.fullmatch(file) for file in changed)
    reached = files if everything else repository.reached(changed)
    is_test, here = re.compile(r"tests/.*/test_\w+\.py"), tuple(f"{folder}/" for folder in folders_of_tests())
    tests = {file for file in reached & files if is_test.fullmatch(file) and file.startswith(here)}
    topics = {topic for file in reached if (topic := topic_of(file))}
    tests |= {file for file in files for topic in topics if re.fullmatch(rf"tests/\w+/test_{topic}(_\w+)?\.py", file)}
    chapters = {Path(file).stem[:2] for file in reached if re.fullmatch(r"book/\d\d_\w+\.(md|ipynb)", file)}
    if any(file.startswith("book/") for file in changed):  # each page is one of a book
        tests |= {file for file in files if re.fullmatch(r"tests/book/test_\w+\.py", file)}
    # The contract is asked about the topics alone, unless something that all of them stand on has changed.
    below = [file for file in changed if file.startswith("tests/contract/") or "/core/" in file]
    narrow = not below and not everything
    return Reached(sorted(tests), sorted(topics) if narrow else None, sorted(chapters))


def topic_files(topic: str, repository: Repository) -> set[str]:
    """The files of a topic. Raises ValueError, with the names that exist, where there is none."""
    topics = sorted({name for file in repository.files if (name := topic_of(file))})
    if topic not in topics:
        raise ValueError(f"TOPIC must be one of {', '.join(topics)}; got {topic!r}")
    return {file for file in repository.files if topic_of(file) == topic}


def changed_files(since: str, root: Path = ROOT) -> set[str]:
    """What differs from a commit, and what git does not know yet. Raises ValueError for an unknown commit."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"git {' '.join(arguments)}: {done.stderr.strip().splitlines()[0]}")
        return done.stdout

    base = git("merge-base", "HEAD", since).strip()
    return {*git("diff", "--name-only", base).split("\n"), *git("ls-files", "-o", "--exclude-standard").split("\n")} - {
        ""
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="main", metavar="COMMIT", help="compared with where we left it; main")
    parser.add_argument("--topic", help="a folder of mechanisms or models")
    options = parser.parse_args(arguments)
    repository = Repository()
    try:
        changed = topic_files(options.topic, repository) if options.topic else changed_files(options.since)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    found = affected(changed, repository)
    print("changed:", *(sorted(changed) or ["nothing"]))
    print("tests:", *(found.tests or ["none"]))
    print("the contract's topics:", *(["all"] if found.topics is None else found.topics or ["none"]))
    print("chapters:", *(found.chapters or ["none"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
