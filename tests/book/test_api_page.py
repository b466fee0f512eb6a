"""The pages of the package document every public name of the three faces, and none that there isn't."""

import re

import api_sections
import api_topics
import pytest
from faces import ROOMS, names_of
from publisher import ROOT

PAGE = (ROOT / "book" / "api.md").read_text(encoding="utf-8")


def test_every_topic_is_documented_once():
    assert PAGE.count(api_sections.LISTED) == 1
    documented = re.findall(r"(?m)^```\{api-topic\} (\w+)$", api_sections.sections())
    source = ROOT / "src" / "attn_course"
    files = [path for room in ROOMS for path in (source / room).rglob("*.py") if path.stem in api_topics.FACES]
    topics = {path.parent.name for path in files if names_of(path)}
    assert sorted(documented) == sorted(topics), "list each topic once in TOPICS of catalog.py"


@pytest.mark.parametrize("face", ["reference", "pytorch", "tf"])
def test_every_public_name_is_documented(face):
    source = ROOT / "src"
    text = (source / "attn_course" / f"{face}.py").read_text(encoding="utf-8")
    homes = [source / f"{name.replace('.', '/')}.py" for name in re.findall(r"(?m)^from (\S+) import \*$", text)]
    public = [name for home in homes for name in names_of(home)]
    shown = [name for topic in api_sections.topics() for name in api_topics.names_of(topic, face)]
    assert public and sorted(shown) == sorted(public)


def test_every_topic_has_its_page():
    assert api_sections.stale() == {}, "run `make faces`"
    page = api_sections.section("window", "#", "../")
    assert page.startswith("(api-window)=\n# Windows\n") and "{doc}`../10_sparse`." in page


def test_pages_that_are_stale_or_left_over_are_mended(tmp_path):
    (tmp_path / "book").mkdir()
    api_sections.write(tmp_path)
    folder = tmp_path / "book" / "api"
    assert len([*folder.iterdir()]) == len(api_sections.topics()) and api_sections.stale(tmp_path) == {}
    (folder / "window.md").write_text("other")
    (folder / "gone.md").write_text("a topic that is no more")
    assert {path.name for path in api_sections.stale(tmp_path)} == {"window.md", "gone.md"}
    api_sections.write(tmp_path)
    assert api_sections.stale(tmp_path) == {}
