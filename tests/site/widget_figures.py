"""Figures for the tests in a browser, one of each kind, and a small site that shows them as the book does."""

import itertools
import subprocess
import sys
import textwrap
from pathlib import Path

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from attn_course.course.plots import explore as draw

ROOT = Path(__file__).resolve().parents[2]
WORDS = ["the", "animal", "was", "too", "tired"]
DATE, WRITTEN = "9 de abril de 1955", "1955-04-09"
LENGTHS = [5, 10, 20, 40]
CLIFFS = {"short": {8: [[1, 0.4, 0], [0.8, 0.2, 0]], 32: [[1, 0.9, 0.2], [1, 0.7, 0]]}}
CLIFFS["long"] = {8: [[1, 0.6, 0.1]], 32: [[1, 1, 0.75]]}


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def softmax(scores):
    exponents = np.exp(scores - scores.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True)


WEIGHTS = softmax(2 * numbers(2, 3, 5, 5))
CHARACTERS = softmax(2 * numbers(10, 18, seed=1))
SCORES, MEMORY = np.round(numbers(10, 18, seed=2), 3), np.round(numbers(18, 7, seed=3), 3)
ONE_ROW = np.round(2 * numbers(7, 11, seed=4), 3)
X, POSITIONS = np.round(numbers(5, 6, seed=5), 3), np.round(numbers(5, 6, seed=6), 3)
MAPS = {name: np.round(numbers(6, 3, seed=seed), 3) for seed, name in enumerate(("query", "key", "value"), start=7)}
SERIES = np.array([[0.9, 0.6, 0.3, 0.1], [1.0, 0.8, 0.4, 0.2]])
KEYS, VALUES = np.array([[2, 0], [-1, -1], [0, 2]]), np.array([[10, 0], [0, 0], [0, 10]])
REQUESTS = [(4, 3), (3, 11), (12, 2), (5, 7)]
POOLED, POOL = [([1, 2, 3, 4, 5], 6), ([1, 2, 3, 4, 6], 3), ([7] * 5, 3)], {"blocks": 5, "block_size": 2}
SINGLE = {
    off: 0.9 - 0.2 * len(off) for size in (0, 1) for off in itertools.combinations([(0, 0), (0, 1), (0, 2)], size)
}


def figures():
    """Made anew at each call: name -> figure."""
    maps = {f"{name}_weight": matrix for name, matrix in MAPS.items()}
    parts = {
        "a, all layers full": [(32, 8192)],
        "b, most layers with a window": ([(2, 8192), (30, 8192, 1024)], "note"),
    }
    return {
        "arrows": draw.explore_arrows(
            ["cat", "drank", "milk"],
            KEYS,
            VALUES,
            {"thirsty": [2, 1], "fresh": [1, 2]},
            alt="arrows",
            gives=("furry", "wet"),
        ),
        "attention": draw.explore(
            WEIGHTS, WORDS, WORDS, alt="heads", names={(1, 2): "a name"}, start=(1, 0, 2), label="Heads of a model"
        ),
        "waits": draw.explore(
            [np.tri(4), np.zeros((4, 4))],
            WRITTEN[:4],
            WRITTEN[4:8],
            alt="who waits",
            verb="waits for",
            names={(0, 0): "one", (0, 1): "other"},
            start=(0, 0, 2),
            choose="Decoder",
            label="Who waits",
        ),
        "characters": draw.explore(
            CHARACTERS, WRITTEN, DATE, alt="a date", row_label="written", column_label="read", label="A date"
        ),
        "blocks": draw.explore_blocks(POOLED, alt="a pool", **POOL),
        "cache": draw.explore_cache(parts, alt="memory"),
        "calculator": draw.explore_cache(
            parts, alt="memory", own=(32, 8, 128), devices={"a small GPU": 24, "a large GPU": 80}, label="A calculator"
        ),
        "capacity": draw.explore_capacity(
            [2, 3, 4],
            CLIFFS,
            [("ab", "ba"), ("abc", "cba"), ("abcd", "dcba")],
            {name: {size: ["ba", "cba", "dcab"] for size in sizes} for name, sizes in CLIFFS.items()},
            alt="a cliff",
        ),
        "heads": draw.explore_heads(
            SINGLE,
            (1, 3),
            alt="heads off",
            metric="exact match",
            answers={(): ["right", "right"], ((0, 1),): ["wrong", "right"]},
            expected=["right", "right"],
            weights=WEIGHTS[:1],
        ),
        "lengths": draw.explore_lengths(
            LENGTHS,
            {"without attention": SERIES, "with attention": [1, 1, 0.9, 0.9]},
            alt="accuracy",
            examples={20: {"source": "some letters", "with attention": "srettel emos"}},
        ),
        "order": draw.explore_order(WORDS, X, **maps, positions=POSITIONS, alt="an order"),
        "named": draw.explore_order(
            WORDS, X, **maps, alt="an output with names", gives="abc", label="An output with names"
        ),
        "pattern": draw.explore_pattern(alt="a mask", n=12, window=3, layers=2),
        "positions": draw.explore_positions(alt="positions", dim=16, length=50),
        "roofline": draw.explore_roofline(
            {"MHA": (2, None), "GQA": (2, 8), "MLA": (3.778, 1)},
            {"a thread": (92e9, 32e9, 4), "H800": (865e12, 3.35e12, 2)},
            alt="a roofline",
            measured=("H800", "measured somewhere", {"MHA": 1e12, "GQA": 2e12, "MLA": 3e12}),
        ),
        "rotation": draw.explore_rotation(alt="rotations", dim=16, trained_length=64),
        "scale": draw.explore_scale(numbers(64, seed=10), numbers(5, 64, seed=11), alt="softmax"),
        "server": draw.explore_server(REQUESTS, alt="a server", at_once=2),
        "sink": draw.explore_sink([-1, -2, -1.5], [1, -1, 2], alt="a sink", sink=1.0),
        "steps": draw.explore_steps(
            SCORES, WRITTEN, DATE, queries=numbers(10, 5, seed=12), memory=MEMORY, alt="steps", start=3
        ),
        "tiles": draw.explore_tiles(ONE_ROW, alt="tiles", block_size=3),
        "window": draw.explore_window(WORDS, alt="a window", scores=[0.5, 1, 0, -1, 0.25], center=2.2, half_width=1.5),
    }


CONFIGURATION = """
    import sys
    sys.path.insert(0, {extensions!r})
    project = "figures"
    extensions = ["myst_nb", "widgets_once"]
    nb_execution_mode = "off"
    html_theme = "sphinx_book_theme"
    html_static_path = [{static!r}]
    html_favicon = {favicon!r}
    html_css_files = ["course.css"]
    html_js_files = ["a11y.js"]
    html_context = {{"default_mode": "auto"}}
    mathjax_path = "mathjax/tex-mml-chtml.js"
    language = "en"
"""


def write_notebook(path, made):
    """Figures as the outputs of cells that ran."""
    cells = [new_markdown_cell("# Figures")]
    for name, figure in made.items():
        data = {"text/html": figure._repr_html_(), "text/plain": repr(figure)}
        output = new_output("execute_result", data, execution_count=1)
        cells += [new_markdown_cell(f"## {name}"), new_code_cell("figure", execution_count=1, outputs=[output])]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)


def build_site(folder, notebooks):
    """A site with a page for each of ``{name: {title: figure}}``, and one without any; returns its folder."""
    source, out = folder / "source", folder / "html"
    source.mkdir(parents=True)
    static = ROOT / "book" / "_static"
    folders = {"extensions": ROOT / "book" / "_ext", "static": static, "favicon": static / "favicon.svg"}
    settings = CONFIGURATION.format(**{name: str(path) for name, path in folders.items()})
    (source / "conf.py").write_text(textwrap.dedent(settings), encoding="utf-8")
    for name, made in notebooks.items():
        write_notebook(source / f"{name}.ipynb", made)
    (source / "plain.md").write_text("# Plain\n\nNo figure stands here.\n", encoding="utf-8")
    pages = "\n".join([*notebooks, "plain"])
    (source / "index.md").write_text(f"# Index\n\n```{{toctree}}\n{pages}\n```\n", encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(source), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def write_site(folder):
    """A page with all figures, one without any, and plain files: outputs as Colab shows them, and a broken one."""
    made = figures()
    out = build_site(folder, {"figures": made, "one": {"window": made["window"], "again": made["window"]}})
    for name, figure in made.items():
        (out / f"alone-{name}.html").write_text(frame(figure._repr_html_()), encoding="utf-8")
    broken = made["window"]._repr_html_().replace('"kind":', '"kind"', 1)
    (out / "broken.html").write_text(frame(broken), encoding="utf-8")
    twice = "".join(figure._repr_html_() for figure in (made["window"], made["attention"], made["window"]))
    (out / "twice.html").write_text(frame(twice), encoding="utf-8")
    return out


def frame(output):
    """A document around one output, in the colors that the reader asked for."""
    style = ":root { color-scheme: light dark } body { background: Canvas; color: CanvasText }"
    head = f'<meta charset="utf-8"><title>An output</title><link rel="icon" href="data:,"><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><main>{output}</main></body></html>'
