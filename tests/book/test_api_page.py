"""The pages of the package document every public name of the public modules, and none that there isn't."""

import ast
import re

import api_sections
import api_topics
import docstrings
import pytest
from derived import ROOMS, names_of
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
    assert api_sections.stale() == {}, "run `make derived`"
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


def test_the_arguments_of_layers_over_heads_are_told():
    """In two tables, which list what the constructor and the call take, in their order."""
    tree = ast.parse((ROOT / "src" / "attn_course" / "core" / "layer" / "pytorch.py").read_text(encoding="utf-8"))
    (layer,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "AttentionLayer")
    functions = {node.name: node.args for node in layer.body if isinstance(node, ast.FunctionDef)}
    part = PAGE.partition("(api-layers)=")[2].partition("(api-masks)=")[0]
    made, called = part.partition("| Called with |")[::2]
    for table, name in ((made, "__init__"), (called, "forward")):
        told = re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\| (`[^|]*) \|", table)))
        arguments = [one.arg for one in (*functions[name].args, *functions[name].kwonlyargs)]
        assert told == [one for one in arguments if one not in ("self", "own")]


@pytest.mark.parametrize(
    "text, formula",
    [
        ("``need_weights=False`` calls another.\nOn a CPU it wants V = K.", False),
        ("num_kv_heads = num_heads is multi-head\nattention.", False),
        ("weights = softmax(score)\ncontext = weights V", True),
        ("context = attend(q, k)    ``dot_product``", True),
        (">>> 1 + 1\n2.", True),
    ],
)
def test_a_sentence_with_an_equals_sign_is_no_formula(text, formula):
    lines = docstrings.paragraph(text)
    assert (".. code-block:: text" in lines) == formula
    assert not formula or not any("``" in line for line in lines)


LISTS = {
    "Parameters (see ``x``):\n    a: ``w`` (D, A),\n        ``v`` (A)\n    b: none.": [
        "**Parameters** (see ``x``).",
        "- a:",
        "- b:",
    ],
    "Source: arXiv:1. What differs:\n    - one\n      thing;\n    - another.": [
        "**Source.** arXiv",
        "- one thing;",
        "- another.",
    ],
    "- ``f(x,\n  y)`` -> z\n- a = b and so\n  on": ["- ``f(x, y)`` -> z", "- a = b and so on"],
    "heads: how many.\nbias: a layer,\n    or None.": ["- heads:", "- bias: a layer, or None."],
    "Shapes: query (T, K), key\n(S, K).": ["**Shapes.** query (T, K), key (S, K)."],
    "Raises:\n    ValueError: a size\n    is 0.": ["**Raises.** ValueError: a size is 0."],
    "Absolute: added.\n    f(x)\n        -> y": ["Absolute: added.", ".. code-block:: text", "   f(x)", "       -> y"],
}


@pytest.mark.parametrize("text", LISTS)
def test_lists_stay_lists(text):
    lines = [line for line in docstrings.paragraph(text) if line]
    assert len(lines) == len(LISTS[text])
    assert all(line.startswith(begin) for line, begin in zip(lines, LISTS[text], strict=True)), lines


def test_names_in_the_text_have_places():
    places = api_topics.places()
    assert places["AttentionLayer"][""] == ("book/api", "api-layers")
    assert places["KVCache"]["tf"] == ("book/api/kv_cache", "attn_course.tf.KVCache")
    assert places["attn_course.mechanisms.bahdanau"][""] == ("book/api/bahdanau", "api-bahdanau")
    assert places["causal_mask"][""] == ("book/api", "attn_course.masks.causal_mask")
