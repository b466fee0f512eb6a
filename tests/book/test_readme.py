"""README.md: where its links lead, what its examples print, and that what is derived and its picture are of today."""

import re
import subprocess
import sys

import readme
import screenshots
from PIL import Image
from publisher import ROOT, publisher

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_lines_lead_to_the_book_colab_and_the_e_book():
    here = publisher(ROOT)
    first = "\n".join(README.splitlines()[:9])
    wanted = here.home_url, here.page_url("book/teaching"), f"{here.url}/releases"
    wanted += (here.colab_url("book/00_ten_minutes.ipynb"),)
    assert all(f"]({address})" in first for address in wanted), first
    assert re.match(r"# .+\n\n\*\*An interactive course on attention, [^*]+\*\*\n\n\*\*\[Read the book\]", README)
    headings = re.findall(r"(?m)^## (.+)$", README)
    assert headings[0] == "The chapters" and headings.index("Contributing") > headings.index("The package")


def test_the_table_of_chapters_is_today_s():
    assert readme.BETWEEN.search(README)[0] == readme.table(ROOT), "run make derived"
    pages = re.findall(r"/book/(\w+)\.html\)", readme.table(ROOT))
    assert pages == [path.stem for path in sorted((ROOT / "book").glob("[0-9][0-9]_*.md"), key=place)]
    assert all(re.search(r"\| \d+ \|$", row) for row in readme.table(ROOT).splitlines()[4:]), "minutes are missing"
    core = re.findall(r"(?m)^\d+ \| (\w+) \| core \|", (ROOT / "book" / "intro.md").read_text(encoding="utf-8"))
    assert re.findall(r"\*\*\[.*/book/(\w+)\.html\)\*\*", readme.table(ROOT)) == core and len(core) > 9


def place(path):
    """As the table of contents has them."""
    return (ROOT / "_toc.yml").read_text(encoding="utf-8").index(f"{path.stem}.md")


def test_the_picture_is_of_this_edition_and_light():
    """Its comment holds the words that stand on it; tests/site compares them with the built page."""
    with Image.open(screenshots.PICTURE) as picture:
        told = picture.info["comment"].decode()
        assert picture.n_frames > 5 and picture.width <= 800
    title, caption = told.splitlines()[:2]
    page = (ROOT / "book" / f"{screenshots.SHOWN}.md").read_text(encoding="utf-8")
    heading = re.search(r"(?m)^# (.+)$", page)[1].replace("'", "’")
    assert title == f"{int(screenshots.SHOWN[:2])} · {heading}"
    assert caption in re.sub(r"[*\s]+", " ", page).replace("'", "’")
    assert screenshots.PICTURE.stat().st_size < 1_000_000
    assert f"]({screenshots.PICTURE.relative_to(ROOT)})](" in README


def test_the_examples_of_the_readme_run_and_print_what_it_shows(tmp_path):
    blocks = re.findall(r"(?s)```python\n(.*?)```", README)
    shown = re.findall(r"(?s)```text\n(.*?)```", README)
    assert len(blocks) == len(shown) == 2
    options = {"cwd": tmp_path, "capture_output": True, "text": True, "encoding": "utf-8"}
    done = [subprocess.run([sys.executable, "-X", "utf8", "-c", block], **options) for block in blocks]
    assert [x.stdout for x in done] == shown, [x.stderr for x in done]


OWN = re.compile(r"\]\((?!https://)([^)]+)\)")  # of a file in the repository


def test_links_into_the_repository_name_files_that_exist():
    """They are relative, so that they lead there in a copy without an address and in a fork."""
    paths = OWN.findall(README)
    assert len(paths) >= 6 and [path for path in paths if not (ROOT / path.partition("#")[0]).exists()] == []
    assert f"]({publisher(ROOT).file_url('')}" not in README


def test_outside_the_repository_they_have_addresses():
    """As the wheel carries it, for an index of packages."""
    here = publisher(ROOT)
    text = readme.absolute(README, here)
    assert OWN.findall(text) == [] and f"]({here.file_url('docs/publishing.md')})" in text
    picture = screenshots.PICTURE.relative_to(ROOT)
    assert f"]({here.raw_url(picture)})]({here.pages_url}" in text
    assert text.count(here.raw_url("")) == 1


def test_who_edits_the_course_and_its_version_stand_there(tmp_path):
    assert readme.STATE.search(README)[0] == readme.state(ROOT), "run make derived"
    (tmp_path / "README.md").write_text("<!-- state -->\nold\n<!-- end of state -->\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")
    cited = "cff-version: 1.2.0\nauthors:\n  - name: A. One\n  - name: B. Two\n"
    for released, told in (("", ", not released yet"), ('date-released: "2026-05-04"\n', " of 2026-05-04")):
        (tmp_path / "CITATION.cff").write_text(cited + released, encoding="utf-8")
        assert readme.write(tmp_path) and not readme.write(tmp_path)
        line = (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()[1]
        assert line == f"Edited by A. One, B. Two · version 1.2.3{told} · [changes](CHANGELOG.md)"
