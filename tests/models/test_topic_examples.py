"""The example at the head of every topic's page: it runs as the page shows it, and prints what its comment says."""

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from oracle_modules import module

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "tools"), str(ROOT / "book" / "_ext")]
api_sections, api_topics = (importlib.import_module(name) for name in ("api_sections", "api_topics"))
FACE = pytest.mark.parametrize("face", ["pytorch", "tf"])
MOST_LINES, COLUMNS = 12, 88  # with the imports; a page shows them without scrolling


def imported(topic, face):
    """The names that it takes from a face of the package."""
    found = ast.walk(ast.parse("\n".join(api_sections.example(topic, face))))
    return {x.name for one in found if isinstance(one, ast.ImportFrom) for x in one.names if face in one.module}


def comments(topic, face):
    """What the lines that print are said to print."""
    lines = [line for line in api_sections.example(topic, face) if line.startswith("print(")]
    return [line.rpartition("  # ")[2] for line in lines]


@FACE
def test_every_topic_has_one_and_shows_a_name_of_its_own(face):
    assert [*api_sections.examples(face)] == api_sections.topics()
    for topic in api_sections.topics():
        lines = api_sections.example(topic, face)
        assert len(lines) <= MOST_LINES and max(map(len, lines)) <= COLUMNS, topic
        own = imported(topic, face) & {*api_topics.names_of(topic, face)}
        assert own or topic == "kv_cache", topic  # which a layer makes


def test_both_frameworks_show_the_same():
    for topic in api_sections.topics():
        assert imported(topic, "pytorch") == imported(topic, "tf"), topic
        assert comments(topic, "pytorch") == comments(topic, "tf") != [], topic


@FACE
def test_each_prints_what_it_says(face, capsys, monkeypatch):
    """With a layer's stored weights in place of a model of `transformers`, which the tests have not."""
    theirs, layer = ModuleType("transformers"), module("bert")
    config = layer.attention.self.config
    theirs.BertConfig = lambda: config
    theirs.BertModel = lambda config: SimpleNamespace(config=config, encoder=SimpleNamespace(layer=[layer]))
    monkeypatch.setitem(sys.modules, "transformers", theirs)
    for topic in api_sections.topics():
        exec("\n".join(api_sections.example(topic, face)), {"__name__": topic})
        assert capsys.readouterr().out.splitlines() == comments(topic, face), topic
