"""The figures as files: one SVG each, well formed, with its text, its page and its licence."""

import re
from xml.etree import ElementTree

import pytest
from figures import figures, main
from publisher import ROOT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def made():
    return figures(ROOT)


def test_every_figure_stands_alone(made):
    assert len(made) > 50
    for name, (svg, page, _) in made.items():
        tree = ElementTree.fromstring(svg)
        assert tree.tag == f"{SVG}svg", name
        assert tree.findtext(f"{SVG}title").strip(), f"{name} has no text"
        told = tree.findtext(f"{SVG}desc")
        assert page in told and "CC BY 4.0" in told
        assert "var(--" not in svg and not re.search(r"""(?:href|src)=["']https?:""", svg), name


def test_every_chapter_has_figures_with_names(made):
    chapters = {path.name[:2] for path in (ROOT / "book").glob("[0-9][0-9]_*.md")}
    assert chapters <= {name[:2] for name in made}
    assert len(set(made)) == len(made) and not any("--" in name for name in made)


def test_the_command(form_built, capsys):
    import shutil
    import subprocess

    shutil.copy(ROOT / "LICENSE-TEXT", form_built)
    subprocess.run(["git", "init", "-q"], cwd=form_built, check=True)
    assert main(["--root", str(form_built)]) == 0
    out = form_built / "_build" / "figures"
    drawn = sorted(path.name for path in out.glob("*.svg"))
    assert drawn and {"README.md", "LICENSE-TEXT", *drawn} == {path.name for path in out.iterdir()}
    assert all(name in (out / "README.md").read_text(encoding="utf-8") for name in drawn)
    assert (form_built / "_build" / "figures.zip").exists()
