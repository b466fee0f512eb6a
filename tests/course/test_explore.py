"""Interactive figures without a browser: bytes, errors, static pictures, size of the code."""

import gzip
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from attn_course.course.plots import explore as module
from attn_course.course.plots.explore import (
    MARK,
    PARTS,
    code,
    explore,
    explore_arrows,
    explore_blocks,
    explore_cache,
    explore_capacity,
    explore_heads,
    explore_lengths,
    explore_order,
    explore_pattern,
    explore_positions,
    explore_roofline,
    explore_rotation,
    explore_scale,
    explore_server,
    explore_sink,
    explore_steps,
    explore_tiles,
    explore_window,
)
from attn_course.course.plots.explore.numbers import cache_gib
from attn_course.course.plots.explore.roofline import intensity
from attn_course.course.plots.explore.schedules import timeline
from attn_course.course.plots.explore.widget import thousandths
from attn_course.masks import causal_mask, sliding_window_mask
from attn_course.reference import alibi_slopes, local_window

SVG = "{http://www.w3.org/2000/svg}"
ALT = "a text for those who don't see it"


def weights(*shape, seed=0):
    drawn = np.random.default_rng(seed).random(shape)
    return drawn / drawn.sum(-1, keepdims=True)


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def order(**changes):
    matrices = {f"{name}_weight": numbers(5, size) for name, size in (("query", 3), ("key", 3), ("value", 2))}
    return explore_order(["dog", "bites", "man"], numbers(3, 5), **{"alt": ALT, **matrices, **changes})


def arrows(**changes):
    given = {"keys": [[2, 0], [-1, -1], [0, 2]], "values": [[10, 0], [0, 0], [0, 10]], "queries": {"it": [2, 1]}}
    return explore_arrows(["cat", "drank", "milk"], **{"alt": ALT, **given, **changes})


def capacity(**changes):
    runs = {name: {size: weights(2, 3, seed=size) for size in (16, 32)} for name in ("short", "long")}
    wrote = {name: {size: ["ba", "cab", "dcxa"] for size in (16, 32)} for name in runs}
    given = {"lengths": [2, 3, 4], "runs": runs, "texts": [("ab", "ba"), ("abc", "cba"), ("abcd", "dcba")]}
    return explore_capacity(**{"wrote": wrote, "alt": ALT, **given, **changes})


FIGURES = {
    "arrows": arrows,
    "attention": lambda: explore(weights(2, 3, 5, 7), "fünf!", ["<s>", "a", "b", "c", "d", "e", "</s>"], alt=ALT),
    "blocks": lambda: explore_blocks([([1, 2, 3], 4), ([1, 2, 5, 6], 2)], alt=ALT, blocks=3, block_size=2),
    "cache": lambda: explore_cache({"a": [(32, 8192)], "b": ([(2, 64), (5, 64, 1024)], "a note")}, alt=ALT),
    "capacity": capacity,
    "heads": lambda: explore_heads({(): 0.9, ((0, 1),): (0.5, 0.4, 0.6)}, (1, 3), alt=ALT, weights=weights(1, 3, 2, 5)),
    "lengths": lambda: explore_lengths([3, 5, 11], {"one": [1, 0.5, 0.25], "two": weights(3, 3)}, alt=ALT),
    "order": order,
    "pattern": lambda: explore_pattern(alt=ALT),
    "positions": lambda: explore_positions(alt=ALT),
    "roofline": lambda: explore_roofline({"a": (2, None), "b": (3.5, 1)}, {"one": (9.2e10, 3.2e10, 4)}, alt=ALT),
    "rotation": lambda: explore_rotation(alt=ALT, method="yarn"),
    "scale": lambda: explore_scale(numbers(64), numbers(5, 64), alt=ALT),
    "server": lambda: explore_server([(3, 5), (7, 2), (1, 11)], alt=ALT, at_once=2),
    "sink": lambda: explore_sink([-1, 0.5, 2], [1, -1, 0], alt=ALT, sink=1),
    "steps": lambda: explore_steps(numbers(3, 5), "abc", "vwxyz", queries=numbers(3, 7), memory=numbers(5, 2), alt=ALT),
    "tiles": lambda: explore_tiles(numbers(5, 7), alt=ALT, block_size=2),
    "window": lambda: explore_window("a window", alt=ALT, center=3.3),
}
EACH = pytest.mark.parametrize("kind", list(FIGURES))


def test_every_kind_is_listed():
    assert sorted(FIGURES) == list(PARTS)
    assert sorted(set(module.__all__) - {"MARK", "PARTS", "Widget", "code"}) == sorted(
        name for name in vars(module) if name.startswith("explore")
    )


# --- Bytes ------------------------------------------------------------------------------------------------------------


@EACH
def test_the_same_bytes_twice(kind):
    first, second = FIGURES[kind](), FIGURES[kind]()
    assert first._repr_html_() == second._repr_html_()
    assert first.data["kind"] == kind
    assert repr(first) == f"<interactive figure: {first.data['label']}>"


def test_the_same_bytes_in_another_process():
    """Another seed of Python's hashes changes the order of sets, and must change nothing here."""
    here = "import sys; sys.path.insert(0, 'tests/course'); from test_explore import FIGURES\n"
    here += "import hashlib; print(hashlib.sha256(''.join(make()._repr_html_() for make in FIGURES.values()).encode())"
    here += ".hexdigest())"
    found = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("change", [1e-12, -1e-12])
def test_a_tie_goes_down_whatever_the_last_bits(change):
    ties = np.array([0.0005, 0.1235, 0.5, 0.9995, 2.6645])
    assert thousandths(ties + change).tolist() == [0, 123, 500, 999, 2664]
    assert thousandths([0.0006, 0.1236, -0.4]).tolist() == [1, 124, -400]


@EACH
def test_last_bits_of_the_input_change_no_byte(kind, monkeypatch):
    before = FIGURES[kind]()._repr_html_()
    drawn, scaled = numbers, weights
    monkeypatch.setitem(globals(), "numbers", lambda *shape, **seed: drawn(*shape, **seed) * (1 + 1e-14))
    monkeypatch.setitem(globals(), "weights", lambda *shape, **seed: scaled(*shape, **seed) * (1 - 1e-14))
    assert FIGURES[kind]()._repr_html_() == before


def test_models_are_called_by_their_names():
    """Without the options nothing of them is in the output."""
    names = {(0, 0): "one", (0, 1): "other"}
    plain = explore(weights(2, 3, 3), "abc", "abc", alt=ALT, names=names)
    asked = explore(weights(2, 3, 3), "abc", "abc", alt=ALT, names=names, grid=True, choose="Models")
    assert not {"grid", "choose"} & set(plain.data) and ">1.2<" in plain.picture
    assert asked.data == plain.data | {"grid": True, "choose": "Models"}
    assert ">other<" in asked.picture and ">1.2<" not in asked.picture
    waits = explore(weights(2, 3, 3), "abc", "abc", alt=ALT, names=names, verb="waits for")
    assert waits.data == plain.data | {"verb": "waits for"}


# --- The code ---------------------------------------------------------------------------------------------------------


@EACH
def test_an_output_carries_only_its_figure(kind):
    own = code(kind)
    assert len(own.encode()) < 30_000
    assert re.findall(r"^KINDS\.(\w+) = ", own, re.MULTILINE) == [kind]


def test_the_code_is_small_and_names_no_address():
    whole = code()
    assert re.findall(r"^KINDS\.(\w+) = ", whole, re.MULTILINE) == list(PARTS)
    assert len(whole.encode()) < 102_500 and len(gzip.compress(whole.encode())) < 30_500
    assert "://" not in whole and "import(" not in whole and "fetch(" not in whole
    assert "</script" not in whole.lower()
    assert "/*" not in whole and not re.search(r"^\s*//", whole, re.MULTILINE)


def test_the_code_files_are_part_of_the_package():
    """What setuptools takes into the wheel is named by pattern; every file must fit one."""
    folder = Path(module.__file__).parent
    assert {path.stem for path in folder.glob("*.js")} == {"core", *PARTS}
    assert {path.stem for path in folder.glob("*.css")} <= {"core", *PARTS}
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    data = project["tool"]["setuptools"]["package-data"]["attn_course"]
    assert {f"course/plots/explore/*.{kind}" for kind in ("js", "css")} <= set(data)


def test_styles_of_a_kind_stay_with_it():
    """Two kinds may use one name for different things."""
    assert "[data-kind=cache]{.entries{" in code() and "[data-kind=lengths]{.area{" in code()


# --- Errors -----------------------------------------------------------------------------------------------------------

WRONG = {
    "rows that don't fit": (
        lambda: explore(weights(3, 5), "ab", "vwxyz", alt=ALT),
        r"\(heads, 2, 5\), got \(1, 3, 5\)",
    ),
    "NaN": (lambda: explore(np.full((2, 2), np.nan), "ab", "ab", alt=ALT), "weights must be finite"),
    "negative": (lambda: explore([[-0.1, 1.1]], "a", "bc", alt=ALT), "weights must be at least 0, got -0.1"),
    "above 1": (lambda: explore([[0.1, 1.1]], "a", "bc", alt=ALT), "weights must be at most 1"),
    "heads differ": (lambda: explore((weights(2, 3, 3), weights(1, 3, 3)), "abc", "abc", alt=ALT), r"got \[2, 1\]"),
    "no such head": (lambda: explore(weights(3, 3), "abc", "abc", alt=ALT, start=(0, 1, 0)), "head must be .* got 1"),
    "a map without a name": (
        lambda: explore(weights(2, 3, 3), "abc", "abc", alt=ALT, choose="Models", names={(0, 0): "one"}),
        "choose needs a name for each of 2 maps",
    ),
    "no such row": (lambda: explore(weights(3, 3), "abc", "abc", alt=ALT, start=(0, 0, 3)), "row of start must be"),
    "no tokens": (lambda: explore(weights(3, 3), "", "abc", alt=ALT), "rows must hold at least one token"),
    "no alt": (lambda: explore_pattern(alt="  "), "alt must say what the picture shows"),
    "alt is no text": (lambda: explore_pattern(alt=None), "alt must say"),
    "key arrows": (lambda: arrows(keys=[[2, 0]]), r"keys must be \(3, 2\), got \(1, 2\)"),
    "a long query": (lambda: arrows(queries={"it": [4, 0]}), "queries must be at most 3, got 4"),
    "keys": (lambda: explore_scale(numbers(64), numbers(5, 63), alt=ALT), r"keys must be \(n, 64\), got \(5, 63\)"),
    "start width": (lambda: explore_scale(numbers(32), numbers(5, 32), alt=ALT), "start must be one of .*32.*got 64"),
    "names": (lambda: explore_scale(numbers(64), numbers(5, 64), alt=ALT, names="ab"), "names must be 5 texts, got 2"),
    "values": (lambda: explore_sink([1, 2], [1, 2, 3], alt=ALT), r"values must be \(2\), got \(3\)"),
    "keys of a sink": (lambda: explore_sink([1, 2], [1, 2], alt=ALT, names="a"), "names must be 2 texts, got 1"),
    "a sink": (lambda: explore_sink([1, 2], [1, 2], alt=ALT, sink=7), "sink must be from -6 to 6, got 7"),
    "one request": (lambda: explore_server([(3, 5)], alt=ALT), "number of requests must be .* from 2 to 12, got 1"),
    "an empty prompt": (lambda: explore_server([(0, 5), (1, 1)], alt=ALT), "requests must be .* from 1 to 99, got 0"),
    "one pool": (lambda: explore_blocks([([1], 2)], alt=ALT, blocks=2), "number of requests must be .* from 2 to 5"),
    "a pool": (lambda: explore_blocks([([1], 9)] * 2, alt=ALT, blocks=2), "blocks must be 3 for this request, got 2"),
    "a step": (lambda: explore_blocks([([1], 2)] * 2, alt=ALT, blocks=2, start=9), "start must be .* from 0 to"),
    "places": (lambda: explore_server([(3, 5), (1, 1)], alt=ALT, at_once=3), "at_once must be .* from 1 to 2, got 3"),
    "a budget": (
        lambda: explore_server([(3, 5), (1, 1)], alt=ALT, at_once=2, budget=5),
        "budget must be one of .* got 5",
    ),
    "n": (lambda: explore_pattern(alt=ALT, n=65), "n must be an integer from 4 to 64, got 65"),
    "a fraction": (lambda: explore_pattern(alt=ALT, window=2.5), "window must be an integer"),
    "a truth value": (lambda: explore_pattern(alt=ALT, stride=True), "stride must be an integer"),
    "center": (lambda: explore_window("abc", alt=ALT, center=2.5), "center must be from 0 to 2, got 2.5"),
    "half width": (lambda: explore_window("abc", alt=ALT, half_width=0), "half_width must be from 0.5 to 3"),
    "window scores": (lambda: explore_window("abc", alt=ALT, scores=[1, 2]), r"scores must be \(3\), got \(2\)"),
    "scores": (
        lambda: explore_steps(numbers(3, 4), "abc", "vwxyz", queries=numbers(3, 7), memory=numbers(5, 2), alt=ALT),
        r"scores must be \(3, 5\), got \(3, 4\)",
    ),
    "memory": (
        lambda: explore_steps(numbers(3, 5), "abc", "vwxyz", queries=numbers(3, 7), memory=numbers(4, 2), alt=ALT),
        r"memory must be \(5, E\), got \(4, 2\)",
    ),
    "key weight": (lambda: order(key_weight=numbers(5, 4)), r"key_weight must be \(5, 3\), got \(5, 4\)"),
    "positions": (lambda: order(positions=numbers(2, 5)), r"positions must be \(3, 5\), got \(2, 5\)"),
    "words are no numbers": (lambda: order(positions=["a"]), "positions must be numbers"),
    "names of an output": (lambda: order(gives=["dog"]), r"gives must hold 2 names, got \['dog'\]"),
    "all heads": (lambda: explore_heads({((0, 0),): 0.5}, (1, 2), alt=ALT), r"results must hold \(\)"),
    "unknown head": (lambda: explore_heads({(): 1, ((1, 0),): 0.5}, (1, 2), alt=ALT), r"no head \(1, 0\)"),
    "a percentage": (lambda: explore_heads({(): 97.0}, (1, 2), alt=ALT), "results must be at most 1, got 97"),
    "two numbers": (lambda: explore_heads({(): (0.1, 0.2)}, (1, 2), alt=ALT), "got 2 numbers"),
    "answers": (
        lambda: explore_heads({(): 1}, (1, 2), alt=ALT, answers={(): ["a"]}, expected=["a", "b"]),
        "must hold as many texts as expected has, 2, got 1",
    ),
    "answers alone": (lambda: explore_heads({(): 1}, (1, 2), alt=ALT, answers={(): ["a"]}), "answers need expected"),
    "method": (lambda: explore_positions(alt=ALT, method="rope"), "method must be one of .* got 'rope'"),
    "odd dim": (lambda: explore_positions(alt=ALT, dim=7), "dim must be even, got 7"),
    "base": (lambda: explore_positions(alt=ALT, base=1), "base must be from 10"),
    "rule": (lambda: explore_rotation(alt=ALT, method="NTK"), "method must be one of .* got 'NTK'"),
    "odd pairs": (lambda: explore_rotation(alt=ALT, dim=7), "dim must be even, got 7"),
    "factor": (lambda: explore_rotation(alt=ALT, factor=0.5), "factor must be from 1 to 16"),
    "lengths": (lambda: explore_lengths([3, 3], {"a": [1, 1]}, alt=ALT), "lengths must be .* grow"),
    "series": (lambda: explore_lengths([3, 5], {"a": [1, 1, 1]}, alt=ALT), r"series 'a' must be \(2\), got \(3\)"),
    "no series": (lambda: explore_lengths([3, 5], {}, alt=ALT), "1 to 5 models, got 0"),
    "example": (lambda: explore_lengths([3, 5], {"a": [1, 1]}, alt=ALT, examples={4: {}}), "length 4, not among"),
    "lengths of capacity": (lambda: capacity(lengths=[2, 2, 3]), "lengths must be .* grow"),
    "no sizes": (lambda: capacity(runs={"long": {}}), "1 to 5 sizes, got 0"),
    "other sizes": (lambda: capacity(wrote={"short": {16: ["a"] * 3}}), r"the sizes \[16, 32\] in 'short'"),
    "shares": (lambda: capacity(runs={"short": {16: [[2, 0, 0]]}}, wrote={"short": {16: "abc"}}), "at most 1, got 2"),
    "too few texts": (lambda: capacity(texts=[("ab", "ba")]), "3 texts each, one per length"),
    "start of capacity": (lambda: capacity(start=(0, 2, 0)), "start must be an integer from 0 to 1, got 2"),
    "tiles": (lambda: explore_tiles(numbers(33, 7), alt=ALT), r"at most \(32, 32\), got \(33, 7\)"),
    "block": (lambda: explore_tiles(numbers(5, 7), alt=ALT, block_size=6), "block_size must be an integer from 1 to 5"),
    "context": (lambda: explore_cache({"a": [(1, 1)]}, alt=ALT, context=3000), "context must be a power of two"),
    "no model": (lambda: explore_cache({}, alt=ALT), "models must hold at least one"),
    "parts": (lambda: explore_cache({"a": [(1,)]}, alt=ALT), r"parts of 'a' must be \(layers, values\)"),
    "device": (lambda: explore_cache({"a": [(1, 1)]}, alt=ALT, devices={"one": 24}), "memory must be that of a device"),
    "own": (
        lambda: explore_cache({"a": [(1, 1)]}, alt=ALT, own=(0, 8, 128)),
        "layers must be an integer from 1 to 1000",
    ),
    "kinds": (lambda: explore_roofline({}, {"one": (1, 1, 1)}, alt=ALT), "1 to 5 kinds and at least one device"),
    "heads of a roofline": (
        lambda: explore_roofline({"a": (2, 1)}, {"one": (1, 1, 1)}, alt=ALT, heads=24),
        "heads must be 8, 16, 32, 64 or 128",
    ),
    "measured": (
        lambda: explore_roofline({"a": (2, 1)}, {"one": (1, 1, 1)}, alt=ALT, measured=("one", "", {"b": 1})),
        "measured must be one of the devices, and all kinds on it",
    ),
    "speed": (lambda: explore_roofline({"a": (2, 1)}, {"one": (1, 0, 1)}, alt=ALT), "bytes of 'one' must be from 1"),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_errors(name):
    call, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        call()


# --- HTML and pictures ------------------------------------------------------------------------------------------------


@EACH
def test_the_output_is_a_picture_with_text_data_and_code(kind):
    from bs4 import BeautifulSoup

    figure = FIGURES[kind]()
    page = BeautifulSoup(figure._repr_html_(), "html.parser")
    (root,) = page.select(".attn-widget")
    assert root["data-kind"] == kind and root.img["alt"] == ALT
    assert root.img["src"].startswith("data:image/svg+xml,")
    assert json.loads(root.script.string) == json.loads(json.dumps(figure.data))
    (script,) = page.find_all("script", attrs={MARK: True})
    assert script.string == code(kind)
    assert not page.find_all(id=True)


def test_texts_that_look_like_html_stay_texts():
    text = "</script><b>&\"'"
    figure = explore(weights(1, 2), [text], [text, "x"], alt=text)
    assert ElementTree.fromstring(figure.picture) is not None
    found = figure._repr_html_()
    assert found.count("</script>") == 2 and "<b>" not in found
    assert 'alt="&lt;/script&gt;&lt;b&gt;&amp;&quot;&#x27;"' in found


@EACH
def test_the_picture_is_an_image_that_stands_alone(kind):
    figure = FIGURES[kind]()
    root = ElementTree.fromstring(figure.picture)
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width")) <= 1000 and float(root.get("height")) <= 1000
    assert not re.search(r"nan|inf[^o]|href|url\(", figure.picture)
    assert set(re.findall(r"https?://[^'\"]*", figure.picture)) == {"http://www.w3.org/2000/svg"}


def drawn_cells(picture):
    """(row, column): tenth, of all cells, map after map."""
    maps = []
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        if "shape-rendering" not in group.attrib:
            continue
        found = {}
        for path in group.iter(f"{SVG}path"):
            for column, row in re.findall(r"M(\d+) (\d+)h1", path.get("d")):
                found[int(row), int(column)] = float(path.get("opacity"))
        maps.append(found)
    return maps


def test_a_cell_for_each_weight_from_a_twentieth_on():
    shown = weights(2, 3, 5, 7)
    maps = drawn_cells(explore(shown, "12345", "1234567", alt=ALT).picture)
    for found, expected in zip(maps, shown.reshape(6, 5, 7), strict=True):
        whole = thousandths(expected)
        assert found.keys() == {tuple(place) for place in np.argwhere(whole >= 50)}
        assert all(abs(tenth - whole[place] / 1000) <= 0.0505 for place, tenth in found.items())


def test_one_head_has_its_tokens():
    picture = explore(weights(2, 3), ["first", "second"], ["uno", "dos", "tres"], alt=ALT).picture
    texts = [node.text for node in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    assert {"first", "second", "uno", "dos", "tres"} <= set(texts)


@pytest.mark.parametrize(
    ("settings", "mask"),
    [
        ({"window": 0, "causal": True}, causal_mask(11, 11)),
        ({"window": 3, "causal": True}, sliding_window_mask(11, 11, 3, causal=True)),
        ({"window": 3, "causal": False}, sliding_window_mask(11, 11, 3, causal=False)),
        ({"window": 0, "causal": False}, np.ones((11, 11), bool)),
    ],
)
def test_the_picture_of_a_pattern_is_the_mask(settings, mask):
    (found,) = drawn_cells(explore_pattern(alt=ALT, n=11, **settings).picture)
    assert found.keys() == {tuple(place) for place in np.argwhere(mask)}


def bars_of(picture):
    """Heights of the bars, as they are drawn."""
    paths = [node.get("d") for node in ElementTree.fromstring(picture).iter(f"{SVG}path")]
    return [float(match[1]) for path in paths if (match := re.search(r"h\d+v-([\d.]+)h", path))]


def test_the_picture_of_a_window_is_the_reference():
    heights = np.array(bars_of(explore_window("eleven keys", alt=ALT, center=4.3, half_width=2.5).picture))
    window = local_window(np.array(4.3), 11, half_width=2.5, gaussian=True)
    expected = window / (local_window(np.array(4.3), 11, half_width=2.5, gaussian=False)).sum()
    np.testing.assert_allclose(heights / heights.max(), expected / expected.max(), atol=0.01)


def test_the_picture_of_the_scale_is_softmax():
    query, keys = numbers(64), numbers(5, 64)
    heights = np.array(bars_of(explore_scale(query, keys, alt=ALT).picture)).reshape(2, 5) / 120
    for row, scale in zip(heights, (1, 8), strict=True):
        scores = keys @ query / scale
        exponents = np.exp(scores - scores.max())
        np.testing.assert_allclose(row, exponents / exponents.sum(), atol=2e-3)


def test_the_picture_of_a_sink_is_its_softmax():
    scores = np.array([-1, 0.5, 2])
    heights = np.array(bars_of(explore_sink(scores, [1, -1, 0], alt=ALT, sink=1).picture)).reshape(2, 4) / 120
    plain, joined = np.append(np.exp(scores), 0), np.append(np.exp(scores), np.e)
    np.testing.assert_allclose(heights, [plain / plain.sum(), joined / joined.sum()], atol=2e-3)


def test_a_timeline_by_hand():
    """Two places, six tokens a step: what each request does (r reads, w writes, - idles), and the tokens of a step."""
    requests = [(3, 1), (2, 4), (8, 2)]
    of = {
        (False, None): (["r---  ", " rwww"[1:] + "  ", "    rw"], [5, 1, 1, 1, 8, 1]),
        (True, None): (["r    ", "rwww ", " rw  "], [5, 9, 2, 1]),
        (True, 6): (["r    ", "rwww ", " rrw "], [5, 6, 4, 2]),
    }
    for (continuous, budget), (drawn, tokens) in of.items():
        states, read = timeline(requests, at_once=2, budget=budget, continuous=continuous)
        assert ["".join(" rw-"[state] for state in row).rstrip() for row in states] == [row.rstrip() for row in drawn]
        assert read.tolist() == tokens


@pytest.mark.parametrize("seed", range(20))
def test_every_timeline_reads_and_writes_all(seed):
    rng = np.random.default_rng(seed)
    requests = rng.integers(1, 20, (int(rng.integers(2, 9)), 2)).tolist()
    at_once, budget = int(rng.integers(1, len(requests) + 1)), [None, 8, 16][seed % 3]
    for continuous in (False, True):
        states, tokens = timeline(requests, at_once=at_once, budget=budget, continuous=continuous)
        assert tokens.sum() == sum(prompt + answer - 1 for prompt, answer in requests)
        assert tokens.max() <= (budget or tokens.sum()) and (states > 0).sum(0).max() <= at_once
        assert ((states == 2).sum(1) == [answer - 1 for _, answer in requests]).all()
        assert budget or not continuous or not (states == 3).any()


def test_slopes_are_those_of_the_course():
    np.testing.assert_allclose(explore_positions(alt=ALT, num_heads=5).data["slopes"], alibi_slopes(5), rtol=1e-5)


def test_a_rotation_says_which_pairs_made_less_than_one_turn():
    """Trained on 64, the pairs of width 16 turn 10, 3.2, 1.02, 0.3 ... times; slowed by 4 each line falls."""
    sizes = {"alt": ALT, "dim": 16, "trained_length": 64}
    plain, slowed = (explore_rotation(**sizes, method=method) for method in ("none", "linear"))
    assert plain.picture.count("less than one turn") == 3 and plain.picture.count("at least one turn") == 2
    for figure, top in ((plain, 30), (slowed, 172)):  # at the end 8 times the largest angle, or 2 times
        ends = re.findall(r"d='M44 220L[^']*L524 (\d+)' fill", figure.picture)
        assert ends == [str(top)] * 5
    assert [explore_rotation(**sizes, position=p).data["position"] for p in (None, 64)] == [256, 64]


def test_the_mean_of_runs_has_their_range_around_it():
    runs = np.array([[0.1, 0.5], [0.3, 0.5], [0.2, 0.8]])
    (entry,) = explore_lengths([3, 5], {"a": runs}, alt=ALT).data["series"]
    assert entry == {"name": "a", "mean": [200, 600], "low": [100, 500], "high": [300, 800]}


def test_blocked_scores_travel_as_nothing():
    scores = np.array([[1.5, -np.inf], [-0.25, 2.0]])
    figure = explore_steps(scores, "ab", "xy", queries=numbers(2, 3), memory=numbers(2, 5), alt=ALT)
    assert figure.data["scores"] == [[1500, None], [-250, 2000]]


def test_a_row_of_scores_without_any_key_is_drawn_empty():
    scores = np.array([[-np.inf, -np.inf], [0.0, 9.0]])
    picture = explore_steps(scores, "ab", "xy", queries=numbers(2, 3), memory=numbers(2, 5), alt=ALT).picture
    assert drawn_cells(picture) == [{(1, 1): 1.0}]


def test_the_longest_bar_of_the_calculator_is_first():
    figure = explore_cache(
        {"small": [(1, 8)], "large": [(9, 8)]}, alt=ALT, own=(32, 8, 128), devices={"L4": 24, "b": 80}
    )
    assert figure.picture.index("large") < figure.picture.index("small")
    assert [tuple(field) for field in figure.data["own"]] == [
        ("layers", 32, 1000),
        ("key heads", 8, 1000),
        ("their width", 128, 10_000),
    ]
    assert figure.data["devices"] == [("L4", 24.0), ("b", 80.0)]


def test_operations_per_byte_of_a_decoding_step():
    """Of 16 bits: MHA 1, GQA h / 8, MQA h, and MLA 2 (576 + 512) / 576 per number and head."""
    kinds = {"MHA": (2, None), "GQA": (2, 8), "MQA": (2, 1), "MLA": (2 * (576 + 512) / 576, 1)}
    figure = explore_roofline(kinds, {"H800": (865e12, 3.35e12, 2)}, alt=ALT, heads=128)
    found = [intensity(entry, 128, 2) for entry in figure.data["kinds"]]
    assert found[:3] == [1, 16, 128] and abs(found[3] - 128 * 1088 / 576) < 0.02
    assert figure.data["devices"] == [{"name": "H800", "ridge": 258.21, "size": 2.0}]
    assert "94% of the arithmetic" in figure.picture and "0.4% of the arithmetic" in figure.picture
    read = dict(zip(kinds, (3e12, 2e12, 1e12, 2.5e12), strict=True))
    figure = explore_roofline(kinds, {"H200": (989e12, 4.8e12, 2)}, alt=ALT, measured=("H200", "told", read))
    assert figure.data["devices"][0]["reached"] == [0.003033, 0.008089, 0.032356, 0.152801]
    assert figure.data["devices"][0]["said"] == " Squares: told, in TFLOP/s: MHA 3, GQA 8, MQA 32, MLA 151."
    assert "60.4 per byte, 29% of the arithmetic, measured 15%" in figure.picture


def test_the_cache_of_known_models():
    """Llama-2 7B at 4,096 tokens in 16 bit takes 2 GiB: 2 x 32 heads x 128 x 32 layers x 4,096 x 2 bytes."""
    assert cache_gib([(32, 2 * 32 * 128)], 4096) == 2.0
    assert cache_gib([(32, 2 * 8 * 128)], 4096, batch=2) == 1.0
    assert cache_gib([(2, 64), (5, 64, 1024)], 4096, bytes_per_value=1) == (2 * 4096 + 5 * 1024) * 64 / 2**30
