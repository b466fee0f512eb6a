"""The command that builds and compares notebooks."""

import nbformat
import pytest
from chapters import read_notebook, tags
from notebooks import build, main
from render import install_cell


def cells(root):
    return read_notebook(root / "book" / "01_fixture.ipynb").cells


def test_building_twice_gives_the_same_bytes(small, change):
    change(
        small / "book" / "01_fixture.md",
        'print(f"{seconds:.9f}")',
        "print('a text', end=' ')\nprint('in parts')",
    )
    path = small / "book" / "01_fixture.ipynb"
    build(small, [])
    first = path.read_bytes()
    build(small, ["01"])
    assert path.read_bytes() == first
    build(small, [], run=False)
    assert path.read_bytes() == first


def test_notebook(built):
    title, install, *rest = cells(built)
    assert title.source.startswith("# A small chapter\n\n[![Open in Colab](")
    assert "/github/first-org/course/blob/main/book/01_fixture.ipynb)" in title.source
    assert tags(install) == ["install"] and install.outputs == []
    assert "attn-course @ git+https://github.com/first-org/course@main" in install.source
    solution = next(cell for cell in rest if "solution" in tags(cell))
    assert solution.metadata["jupyter"] == {"source_hidden": True} and solution.metadata["cellView"] == "form"
    figure = next(number for number, cell in enumerate(rest) if "plt.show" in cell.source)
    assert rest[figure + 1].source == "**Fig. 1.** A line: $y = x$, see (Müller and Lee, 2016)."
    assert [cell.id for cell in cells(built)] == [f"cell-{i:03d}" for i in range(len(cells(built)))]


def test_metadata_hold_no_version(built):
    metadata = read_notebook(built / "book" / "01_fixture.ipynb").metadata
    assert set(metadata) == {"kernelspec", "language_info"}
    assert "version" not in metadata["language_info"]


def test_install_cell_runs_pip_only_where_the_course_is_missing(built, monkeypatch):
    import importlib.util

    from publisher import publisher

    code = install_cell(publisher(built)).source.replace('%pip install -q "{spec}"', "asked.append(spec)")
    finders = {"installed": object(), "missing": None}
    for state, wanted in (("installed", []), ("missing", ["a-wheel.whl"])):
        asked = []
        monkeypatch.setenv("ATTN_COURSE_SPEC", "a-wheel.whl")
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, found=finders[state]: found)
        exec(code, {"asked": asked})
        assert asked == wanted
    monkeypatch.delenv("ATTN_COURSE_SPEC")
    exec(code, {"asked": asked})
    assert asked[-1] == "attn-course @ git+https://github.com/first-org/course@main"


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


def test_a_failing_cell_is_shown_and_writes_nothing(small, change, capsys):
    change(small / "book" / "01_fixture.md", 'print("one")', "wrong = 1 / 0")
    assert main(["--root", str(small), "build"]) == 1
    message = capsys.readouterr().err
    assert "book/01_fixture.ipynb" in message
    assert "wrong = 1 / 0" in message and "ZeroDivisionError" in message
    assert not (small / "book" / "01_fixture.ipynb").exists()


def test_the_working_folder_is_empty(small, change):
    change(small / "book" / "01_fixture.md", 'print("one")', "import os\n\nprint(os.listdir())")
    build(small, [])
    assert next(cell for cell in cells(small) if "listdir" in cell.source).outputs[0].text == "[]\n"


def test_the_tag_of_the_install_cell_is_taken(small, change, capsys):
    change(small / "book" / "01_fixture.md", "[tab-tf]", "[install]")
    assert main(["--root", str(small), "build"]) == 1
    assert "book/01_fixture.md: the tag install" in capsys.readouterr().err


def test_unknown_chapter(small, capsys):
    assert main(["--root", str(small), "build", "77"]) == 1
    assert "no chapter book/77*.md" in capsys.readouterr().err


@pytest.mark.parametrize("changed", [False, True])
def test_check_compares(built, capfd, changed):
    path = built / "book" / "01_fixture.ipynb"
    if changed:
        notebook = read_notebook(path)
        next(cell for cell in notebook.cells if cell.source == 'print("one")').outputs[0].text = "another\n"
        nbformat.write(notebook, path)
    code = main(["--root", str(built), "check", "--jobs", "1"])
    shown = capfd.readouterr().out
    assert (code != 0) is changed
    assert "notebooks: 1, code cells: 6, compared: 5, ignored: 1 (16.7 %), seconds per chapter: 01 " in shown
    assert ("1 failed" in shown) is changed


def test_check_refuses_what_was_never_executed(built, capsys):
    path = built / "book" / "01_fixture.ipynb"
    notebook = read_notebook(path)
    notebook.cells[3].execution_count = None  # nbval would pass it without comparing
    nbformat.write(notebook, path)
    assert main(["--root", str(built), "check"]) == 1
    assert "run make notebooks CH=01" in capsys.readouterr().err


def test_sanitizing():
    """What two runs print differently although they do the same."""
    import re

    from execute import SANITIZE
    from nbval.plugin import get_sanitize_patterns

    text = "<object at 0x7f00AB> at /x/ipykernel_12/345.py:3: loss 0.125"
    for pattern, replacement in get_sanitize_patterns(SANITIZE.read_text(encoding="utf-8")):
        text = re.sub(pattern, replacement, text)
    assert text == "<object at ADDRESS> at CELL:3: loss 0.125"
