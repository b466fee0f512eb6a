"""What a class is served of a chapter beside its page, the .md and the .ipynb, can be had without its solutions."""

import pytest
from chapters import read_notebook, sources
from solution_lines import leaks, only_in_solutions, plain
from solutions import notebook_without, source_without, tags_of

CHAPTERS = sources()


@pytest.mark.parametrize("path", CHAPTERS, ids=[path.stem for path in CHAPTERS])
def test_no_solution_is_left(path):
    text = path.read_text(encoding="utf-8")
    lines = only_in_solutions(text)
    assert bool(lines) == ("exercise]" in text), "a chapter with exercises has solutions; the capstone has neither"
    served = {".md": source_without(text), ".ipynb": notebook_without(path.with_suffix(".ipynb").read_text("utf-8"))}
    for kind, kept in served.items():
        found = plain(f"x{kind}", kept)
        assert [line for line in lines if line in found] == []
    whole = read_notebook(path.with_suffix(".ipynb"))
    left = served[".ipynb"].count('"cell_type"')
    assert left > 10 and (left < len(whole.cells)) == bool(lines)


@pytest.mark.parametrize(
    ("head", "tags"),
    [
        (":tags: [solution]\n", ["solution"]),
        (":name: x\n:tags: [tab-torch, solution]\n", ["tab-torch", "solution"]),
        ("---\ntags: [solution]\nmystnb:\n  image: {alt: y}\n---\n", ["solution"]),
        ("---\ntags:\n- solution\n---\n", ["solution"]),
        ("", []),
        ("x = 1\n:tags: [solution]\n", []),
    ],
)
def test_tags_as_chapters_write_them(head, tags):
    body = f"{head}def answer(values): return values\n"
    assert tags_of(body) == tags
    text = f"before\n\n````{{code-cell}} ipython3\n{body}````\n\nafter\n"
    assert ("answer" in source_without(text)) is ("solution" not in tags)


def test_a_leak_is_found(tmp_path):
    (tmp_path / "page.html").write_text('<pre><span class="k">return</span> values.mean(axis=0) &lt; 3</pre>')
    assert leaks(tmp_path, {"returnvalues.mean(axis=0)<3"}) == ["page.html: returnvalues.mean(axis=0)<3"]
