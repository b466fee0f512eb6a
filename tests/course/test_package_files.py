"""The package holds what chapters and documented commands use, and nothing else; programs stand in experiments/."""

import ast
import re
import subprocess

import experiments

ROOT = experiments.ROOT
SOURCE = ROOT / "src" / "attn_course"
LISTED = subprocess.check_output(["git", "ls-files", "src/attn_course"], cwd=ROOT, text=True).splitlines()
FILES = [ROOT / name for name in LISTED if (ROOT / name).exists()]
PAGES = {path: path.read_text(encoding="utf-8") for path in [*(ROOT / "book").glob("*.md"), *ROOT.glob("*.md")]}
# The public modules, the short public paths, and the command `attn-course`.
PUBLIC = ("", ".pytorch", ".tf", ".reference", ".catalog", ".masks", ".parity", ".frameworks", ".notebook", ".__main__")
LEGAL = re.compile(r"LICENSE.*|README\.md|py\.typed")
# Read whole: an exercise is a file that its chapter's list names.
READ_WHOLE = SOURCE / "exercises" / "bank"


def name_of(path):
    parts = ("attn_course", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES if path.suffix == ".py" and READ_WHOLE not in path.parents}
TWINS = ("pytorch", "tf", "reference")


def imported(text):
    """Names of modules that a text of Python imports, also by ``import_module`` and ``-m``."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
            yield from (f"{node.value}{twin}" for twin in TWINS)  # f"attn_course.course.labs.gpu.{framework}"


def cells(page):
    """The code of a page's cells."""
    for code in re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        code = re.sub(r"\A---\n.*?^---\n", "", code, flags=re.DOTALL | re.MULTILINE)
        yield "".join(line for line in code.splitlines(True) if not re.match(r"\s*[%!]|:\w", line))


def reached():
    """Modules that chapters' cells and documented commands import, and what those import."""
    found, ahead = set(), [f"attn_course{name}" for name in PUBLIC]
    for page in PAGES.values():
        ahead += re.findall(r"-m (attn_course[\w.]*\w)", page)
        for code in cells(page):
            ahead += imported(code)
    ahead += [f"{name}.__main__" for name in ahead]
    while ahead:
        name = ahead.pop()
        if name in MODULES and name not in found:
            found.add(name)
            text = MODULES[name].read_text(encoding="utf-8")
            package = name.rpartition(".")[0]
            ahead += imported(text)
            ahead += [f"{package}.{run}" for run in re.findall(r'with_name\("(\w+)\.py"\)', text)]
            ahead.append(package)
    return found


def test_every_module_is_used_by_a_chapter_or_a_documented_command():
    unused = sorted(MODULES.keys() - reached())
    assert not unused, f"used by no chapter and no documented command: move to experiments/: {unused}"


def test_every_data_file_is_read():
    """By its name, or by its stem where a reader adds the ending: ``load_record("dates")``."""
    texts = [MODULES[name].read_text(encoding="utf-8") for name in reached()]
    texts += [*PAGES.values(), *(path.read_text(encoding="utf-8") for path in FILES if path.suffix == ".js")]
    # The page of costs is written from its record; the table of kernels is compared with the compiler.
    beside = [ROOT / "tools" / "complexity.py", ROOT / "tests" / "mechanisms" / "test_flash_kernel.py"]
    text = "\n".join([*texts, *(path.read_text(encoding="utf-8") for path in beside)])
    names = [path for path in FILES if path.suffix != ".py" and not LEGAL.fullmatch(path.name)]
    unread = [
        str(path.relative_to(SOURCE))
        for path in names
        if READ_WHOLE not in path.parents
        and path.name not in text
        and not re.search(rf"""["'/]{re.escape(path.stem)}["'.]""", text)
    ]
    assert len(names) > 60 and not unread, f"nobody reads {unread}"


def test_no_program_that_makes_records_or_data_is_in_the_package():
    wanted = {f"attn_course.course.labs.{name}" for name in ("generate", "gpu", "ring", "serve", "translate")}
    programs = {name.removesuffix(".__main__") for name in MODULES if name.endswith(".__main__")}
    assert {name for name in programs if ".labs." in name} == wanted
    assert not [name for name in MODULES if name.endswith(".make")]
    inside = [name for name, path in MODULES.items() if "experiments" in imports(path)]
    assert not inside, "the package imports nothing from experiments"


def imports(path):
    return {name.split(".")[0] for name in imported(path.read_text(encoding="utf-8"))}


def test_what_is_unused_would_be_seen():
    """The reader finds imports in cells, in commands and in names that are put together, and nothing else."""
    page = "```{code-cell} ipython3\n---\ntags: [a]\n---\n%load x\nfrom attn_course.course.labs import pairs\n```\n"
    assert "attn_course.course.labs.pairs" in set(imported(next(cells(page))))
    assert "attn_course.course.labs.gpu.tf" in set(imported('m = import_module(f"attn_course.course.labs.gpu.{kind}")'))
    assert "attn_course.course.labs.gpu" not in set(imported("x = 1  # attn_course.course.labs.gpu"))
    assert {"attn_course.course.labs.gpu.training", "attn_course.mechanisms.flash.triton"} <= reached()
