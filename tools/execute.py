"""Running notebooks: the settings that all runs share, one clean run, and the comparison by nbval."""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

from chapters import INSTALL_TAG, code_cells, read_notebook, tags
from IPython.core.inputtransformer2 import TransformerManager
from marks import NOT_RUN
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from publisher import ROOT
from render import LANGUAGE

SETTINGS = {
    # One thread: sums in another order would change the last digits that a cell prints.
    "OMP_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    # On a machine with a GPU too: what the course prints is what a processor computes.
    "CUDA_VISIBLE_DEVICES": "-1",
    "ATTN_COURSE_QUIET": "1",  # no progress bars
}
SANITIZE = ROOT / "tests" / "book" / "nbval.cfg"
IGNORED = "nbval-ignore-output"


# What a notebook of one framework must do without: names that an import, or a question after it, finds missing.
HIDDEN = {"torch": ("tensorflow", "keras"), "tf": ("torch",)}
SHORT_STEPS = "20"
BLOCKER = """\
from importlib.machinery import PathFinder

find_spec = PathFinder.find_spec


def answer(name, *arguments, **options):
    if name.partition(".")[0] in {hidden}:
        return None  # and no error: libraries ask for each other and expect an answer
    return find_spec(name, *arguments, **options)


PathFinder.find_spec = answer
"""


def outdated_sources(notebook: NotebookNode) -> list[str]:
    """The first lines of cells that print another source than the package has now.

    Nothing else is run: such a cell needs the imports before it and its own lines.
    """
    names, outdated = {}, []
    for cell in code_cells(notebook):
        body = ast.parse(TransformerManager().transform_cell(cell.source)).body
        if prints := bool(body) and ast.unparse(body[-1]).startswith("source("):
            steps, shown = body[:-1], body[-1].value
        else:
            steps = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        exec(compile(ast.Module(steps, []), cell.source[:60], "exec"), names)
        if prints:
            now = repr(eval(compile(ast.Expression(shown), cell.source[:60], "eval"), names))
            if [output.data["text/plain"] for output in cell.outputs] != [now]:
                outdated.append(cell.source.splitlines()[0])
    return outdated


class CellFailed(RuntimeError):
    """A cell raised: the message holds its source and the traceback."""


def execute_alone(notebook: NotebookNode, name: str, framework: str) -> None:
    """Run a notebook of one framework where the other can't be imported.

    Training is cut to a few steps, so the checks of what it gave (tagged `trained`) are left out.
    """
    notebook.cells = [cell for cell in notebook.cells if "trained" not in tags(cell)]
    with tempfile.TemporaryDirectory(prefix="attn_course_") as folder:
        Path(folder, "sitecustomize.py").write_text(BLOCKER.format(hidden=HIDDEN[framework]), encoding="utf-8")
        paths = [folder, *filter(None, [os.environ.get("PYTHONPATH")])]
        execute(notebook, name, PYTHONPATH=os.pathsep.join(paths), ATTN_COURSE_STEPS=SHORT_STEPS)


def execute(notebook: NotebookNode, name: str, **variables: str) -> None:
    """Run all cells in an empty folder, so that a chapter needs nothing but the installed package."""
    with tempfile.TemporaryDirectory(prefix="attn_course_") as folder:
        client = NotebookClient(
            notebook,
            timeout=600,
            record_timing=False,
            coalesce_streams=True,  # how a text falls into messages depends on the moment
            extra_arguments=["--IPKernelApp.log_level=50"],  # it complains where Ctrl-C stops it
            resources={"metadata": {"path": folder}},
        )
        try:
            client.execute(env={**os.environ, **SETTINGS, **variables})
        except CellExecutionError as error:
            raise CellFailed(f"{name}: a cell failed\n{error}") from error
        except (AssertionError, DeadKernelError):  # Ctrl-C: the client stops its kernel and then waits for it
            if not hasattr(client, "_async_cleanup_kernel_future"):
                raise
            raise KeyboardInterrupt from None
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = dict(LANGUAGE)  # the kernel's has versions


def compare(notebooks: list[Path], jobs: int = 2) -> tuple[int, set[str]]:
    """Run copies of the notebooks under nbval and print a line of totals: pytest's exit code, the stems that passed."""
    with tempfile.TemporaryDirectory(prefix="attn_course_") as folder:
        report = Path(folder, "report.xml")
        for path in notebooks:  # each alone in a folder, which is where its kernel runs
            copy = Path(folder, "book", path.stem, path.name)
            copy.parent.mkdir(parents=True)
            shutil.copy(path, copy)
        # An own, empty configuration: the project's would make each warning inside nbval an error.
        Path(folder, "pytest.ini").write_text("[pytest]\n")
        command = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env"]
        command += [f"--nbval-sanitize-with={SANITIZE}", "-p", "no:cacheprovider", f"--junitxml={report}"]
        command += ["-n", str(jobs), "--dist", "loadfile"] if jobs > 1 else ["-p", "no:xdist"]
        done = subprocess.run([*command, "book"], cwd=folder, env={**os.environ, **SETTINGS}, check=False)
        cells = _cells(report)
    seconds: dict[str, float] = defaultdict(float)
    for stem, time, _ in cells:
        seconds[stem[:2]] += time
    print(totals(notebooks, seconds))
    failed = {stem for stem, _, passed in cells if not passed}
    return done.returncode, {stem for stem, _, _ in cells} - failed


def _cells(report: Path) -> list[tuple[str, float, bool]]:
    """The chapter, the seconds and whether it passed, of every cell in pytest's report."""
    found = []
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        stem = case.get("classname", "").removesuffix(".ipynb").replace("/", ".").rpartition(".")[2]
        passed = case.find("failure") is None and case.find("error") is None
        found.append((stem, float(case.get("time", 0)), passed))
    return found


def totals(notebooks: list[Path], seconds: dict[str, float]) -> str:
    """The line with which a comparison ends. The install cells print nothing and are not counted."""
    cells = [cell for path in notebooks for cell in read_notebook(path).cells if cell.cell_type == "code"]
    cells = [cell for cell in cells if not {INSTALL_TAG, NOT_RUN[0]} & set(tags(cell))]
    ignored = sum(IGNORED in tags(cell) for cell in cells)
    share = 100 * ignored / len(cells) if cells else 0.0
    times = ", ".join(f"{chapter} {seconds[chapter]:.1f}" for chapter in sorted(seconds))
    return (
        f"notebooks: {len(notebooks)}, code cells: {len(cells)}, compared: {len(cells) - ignored}, "
        f"ignored: {ignored} ({share:.1f} %), seconds per chapter: {times}"
    )
