"""The command that builds and compares notebooks."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from chapters import read_notebook, tags
from notebooks import build, main
from publisher import ROOT, UNSET, make_publisher, publisher, unset
from render import install_cell


def cells(root):
    return read_notebook(root / "book" / "01_fixture.ipynb").cells


def test_building_twice_gives_the_same_but_for_the_time(small, change):
    change(small / "book" / "01_fixture.md", 'print(f"{seconds:.9f}")', "print('a text', end=' ')\nprint('in parts')")
    path = small / "book" / "01_fixture.ipynb"
    build(small, [])
    first = read_notebook(path)
    build(small, ["01"])
    first.metadata.executed.seconds = read_notebook(path).metadata.executed.seconds
    assert path.read_text(encoding="utf-8") == nbformat.writes(first) + "\n"
    build(small, [], run=False)
    assert path.read_text(encoding="utf-8") == nbformat.writes(first) + "\n"


def test_notebook(built):
    title, install, *rest = cells(built)
    assert title.source.startswith("# A small chapter\n\n[![Open in Colab](")
    assert "/github/first-org/course/blob/main/book/01_fixture.ipynb)" in title.source
    assert tags(install) == ["install"] and install.outputs == []
    assert "attn-course[labs] @ git+https://github.com/first-org/course@main" in install.source
    solution = next(cell for cell in rest if "solution" in tags(cell))
    assert solution.metadata["jupyter"] == {"source_hidden": True} and solution.metadata["cellView"] == "form"
    figure = next(number for number, cell in enumerate(rest) if "plt.show" in cell.source)
    assert rest[figure + 1].source == "**Fig. 1.** A line: $y = x$, see (Müller and Lee, 2016)."
    assert [cell.id for cell in cells(built)] == [f"cell-{i:03d}" for i in range(len(cells(built)))]


class Finder:
    """Stands for the search for the package: what it finds before pip ran, and after."""

    def __init__(self, monkeypatch, before, after):
        self.asked, self.found = [], [before, after]
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: self.found[bool(self.asked)])

    def run(self, cell):
        exec(cell.source.replace('%pip install -q "{spec}"', "asked.append(spec)"), {"asked": self.asked})
        return self.asked


def test_install_cell_runs_pip_only_where_the_course_is_missing(built, monkeypatch):
    cell = install_cell(publisher(built))
    monkeypatch.setenv("ATTN_COURSE_SPEC", "a-wheel.whl")
    assert Finder(monkeypatch, object(), object()).run(cell) == []
    assert Finder(monkeypatch, None, object()).run(cell) == ["a-wheel.whl"]
    monkeypatch.delenv("ATTN_COURSE_SPEC")
    asked = Finder(monkeypatch, None, object()).run(cell)
    assert asked == ["attn-course[labs] @ git+https://github.com/first-org/course@main"]


def in_a_new_interpreter(source, **settings):
    """What a notebook prints that has this cell and then one that imports the course, where the course is missing."""
    program = (
        "import sys\n"
        "sys.modules['attn_course'] = None\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='nocolor')\n"
        "for cell in (sys.stdin.read(), 'import attn_course'):\n"
        "    if not shell.run_cell(cell).success:\n"
        "        break\n"
    )
    settings = {**os.environ, "IPYTHONDIR": settings.pop("home"), **settings}
    done = subprocess.run([sys.executable, "-c", program], input=source, env=settings, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_install_cell_stops_with_words(tmp_path, monkeypatch):
    """All later cells wait behind it, so none says ModuleNotFoundError."""
    monkeypatch.delenv("ATTN_COURSE_SPEC", raising=False)
    empty = install_cell(make_publisher(f"https://github.com/{UNSET}/attn_course", "main"), "0.1.0").source
    said = in_a_new_interpreter(empty, home=str(tmp_path))
    assert """RuntimeError: No address yet: in the folder of your copy, pip install ".[torch]" """ in said
    told = install_cell(make_publisher("https://github.com/an-org/course", "main"), "0.1.0").source
    wheel = str(tmp_path / "missing-1.0-py3-none-any.whl")
    said += in_a_new_interpreter(told, home=str(tmp_path), ATTN_COURSE_SPEC=wheel)
    assert "RuntimeError: The course is not installed" in said and "missing-1.0" in said
    assert "ModuleNotFoundError" not in said


def test_a_copy_without_a_publisher_is_told(small):
    project = small / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    assert unset(small) == ""
    project.write_text(text.replace(publisher(small).org, UNSET), encoding="utf-8")
    assert "not set" in unset(small) and "make repository URL=" in unset(small) and "\n" not in unset(small)


def test_no_execute_keeps_outputs_of_unchanged_cells(built, change):
    source = built / "book" / "01_fixture.md"
    change(source, "Nowhere.", "Somewhere.")
    change(source, 'print("one")', 'print("two")')
    before = {cell.source: cell.outputs for cell in cells(built) if cell.cell_type == "code"}
    build(built, [], run=False)
    for cell in cells(built):
        if cell.cell_type == "code":
            assert cell.outputs == before.get(cell.source, [])
    assert any("Somewhere." in cell.source for cell in cells(built))


def test_as_needed_executes_what_changed(built, change, monkeypatch):
    """A typo costs no run; another line of code does, and another record."""
    ran, source = [], built / "book" / "01_fixture.md"
    monkeypatch.setattr("notebooks.execute", lambda notebook, name: ran.append(name))
    change(source, "Nowhere.", "Somewhere.")
    assert main(["--root", str(built), "build", "--as-needed", "01_fixture"]) == 0
    assert ran == [] and any("Somewhere." in cell.source for cell in cells(built))
    change(source, 'print("one")', 'print("two")')
    assert main(["--root", str(built), "build", "--as-needed"]) == 0
    assert ran == ["book/01_fixture.ipynb"]
    monkeypatch.setattr("notebooks.digest_of_records", lambda page: "another")
    assert main(["--root", str(built), "build", "--as-needed"]) == 0
    assert ran == 2 * ["book/01_fixture.ipynb"]


def test_a_failing_cell_is_shown_and_writes_nothing(small, change, capsys):
    change(small / "book" / "01_fixture.md", 'print("one")', "wrong = 1 / 0")
    assert main(["--root", str(small), "build"]) == 1
    message = capsys.readouterr().err
    assert "book/01_fixture.ipynb" in message
    assert "wrong = 1 / 0" in message and "ZeroDivisionError" in message
    assert not (small / "book" / "01_fixture.ipynb").exists()


def test_a_write_that_fails_leaves_the_old_notebook(built, monkeypatch):
    path = built / "book" / "01_fixture.ipynb"
    before, files = path.read_bytes(), sorted(path.parent.iterdir())

    def half(notebook, target):
        Path(target).write_text("{")
        raise KeyboardInterrupt

    monkeypatch.setattr("notebooks.nbformat.write", half)
    with pytest.raises(KeyboardInterrupt):
        build(built, [], run=False)
    assert path.read_bytes() == before and sorted(path.parent.iterdir()) == files


def test_ctrl_c_ends_in_one_line_and_writes_nothing(small, change):
    """Sent to all processes of the terminal, while a cell runs."""
    change(
        small / "book" / "01_fixture.md",
        'print("one")',
        "import pathlib, time\n\npathlib.Path(BEGUN).touch()\ntime.sleep(60)",
    )
    change(small / "book" / "01_fixture.md", "BEGUN", repr(str(small / "begun")))
    command = [sys.executable, ROOT / "tools" / "notebooks.py", "--root", small, "build"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (small / "begun").exists():
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and said == "\nstopped: every notebook is the old one or the new one\n"
    assert not (small / "book" / "01_fixture.ipynb").exists()


def test_the_working_folder_is_empty(small, change):
    change(small / "book" / "01_fixture.md", 'print("one")', "import os\n\nprint(os.listdir())")
    build(small, [])
    assert next(cell for cell in cells(small) if "listdir" in cell.source).outputs[0].text == "[]\n"


def test_the_tag_of_the_install_cell_is_taken(small, change, capsys):
    change(small / "book" / "01_fixture.md", "[tab-tf]", "[install]")
    assert main(["--root", str(small), "build"]) == 1
    assert "book/01_fixture.md: the tag install" in capsys.readouterr().err


@pytest.mark.parametrize("changed", [False, True])
def test_check_compares(built, capfd, changed):
    path = built / "book" / "01_fixture.ipynb"
    if changed:
        notebook = read_notebook(path)
        next(cell for cell in notebook.cells if cell.source.endswith('print("one")')).outputs[0].text = "another\n"
        nbformat.write(notebook, path)
    code = main(["--root", str(built), "check", "--jobs", "1"])
    shown = capfd.readouterr().out
    assert (code != 0) is changed
    assert "notebooks: 1, code cells: 6, compared: 5, ignored: 1 (16.7 %), seconds per chapter: 01 " in shown
    assert ("1 failed" in shown) is changed


def test_a_notebook_that_passed_is_run_again_when_something_changed_or_somebody_asks(built, monkeypatch, capsys):
    import notebooks

    ran = []

    def compare(paths, jobs):
        ran.append([path.stem for path in paths])
        return (0, set(ran[-1])) if good else (1, set())

    monkeypatch.setattr(notebooks, "compare", compare)
    records = built / "src" / "attn_course" / "records"
    records.mkdir(parents=True)
    command = ["--root", str(built), "check"]
    good = False
    assert main(command) == 1 and main(command) == 1
    good = True
    assert main(command) == 0 and len(ran) == 3
    assert main(command) == 0 and len(ran) == 3
    assert "passed as they are: 1 (AGAIN=yes" in capsys.readouterr().out
    assert main([*command, "--again"]) == 0 and len(ran) == 4
    needed = records / "one.json"  # the chapter has "one" in quotes
    for path, text in ((needed, "1"), (needed, "2"), (built / "requirements.txt", "numpy==2.0")):
        path.write_text(text)
        assert main(command) == 0 and main(command) == 0
    (records / "another.json").write_text("1")
    assert main(command) == 0 and len(ran) == 7
    good = False
    assert main([*command, "--again"]) == 1 and main(command) == 1
    assert len(ran) == 9, "what failed is not remembered as passed"


def test_check_refuses_what_was_never_executed(built, capsys):
    path = built / "book" / "01_fixture.ipynb"
    notebook = read_notebook(path)
    notebook.cells[3].execution_count = None  # nbval would pass it without comparing
    nbformat.write(notebook, path)
    assert main(["--root", str(built), "check"]) == 1
    assert "run make notebooks CH=01" in capsys.readouterr().err
