"""One output: the picture, the data, and the code that makes it move."""

import html
import json
import re
from functools import cache
from importlib.resources import files
from urllib.parse import quote

import numpy as np

# The book's build finds the code by this mark and moves it into one file for all pages.
MARK = "data-attn-widgets"
_FILES = {x.name for x in (files("attn_course.course.plots") / "explore").iterdir()}
PARTS = sorted(x for x in _FILES - {"core.js"} if x.endswith(".js"))
PARTS = tuple(x.removesuffix(".js") for x in PARTS)
# Kinds whose model computes in the page (``plots.live``), and what it computes with.
LIVE = {
    "live_dates": ("arrays", "bahdanau"),
    "live_reader": ("arrays", "reader"),
    "live_translate": ("arrays", "transformer"),
    "live_writer": ("arrays", "language_model"),
}


@cache
def code(*parts):
    """The script for these kinds of figures (none: for all), with its style inside.

    Comments and indentation are left out, nothing else is changed.
    """
    parts = parts or PARTS
    styles = {name: _of(name, "css") for name in parts}
    # Styles of one kind stay with it: names may be the same in two kinds.
    own = (f"[data-kind={name}]{{{style}}}" for name, style in styles.items() if style)
    style = "".join((_read("core.css"), *own))
    style = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    style = re.sub(r"\s*([{};,>])\s*|(:)\s+", r"\1\2", style).replace(";}", "}")
    body = "".join(f"{{\n{_of(name, 'js')}}}\n" for name in parts)
    models = dict.fromkeys(model for name in parts for model in LIVE.get(name, ()))
    script = "".join(_read(f"{name}.js", "live") for name in models)
    script += _read("core.js").replace("/*PARTS*/", body)
    kept = (line.strip() for line in script.splitlines())
    kept = "\n".join(line for line in kept if line and not line.startswith("//"))
    return kept.replace("/*CSS*/", style.strip())


def _of(kind, ending):
    """A kind's file; a live one's begins with what all live kinds share."""
    if kind not in LIVE:
        return _read(f"{kind}.{ending}")
    return _read(f"live.{ending}", "live") + _read(f"{kind}.{ending}", "live")


@cache
def _read(name, folder="explore"):
    path = files("attn_course.course.plots") / folder / name
    return path.read_text("utf-8") if path.is_file() else ""


class Widget:
    """An interactive figure; a notebook shows it as HTML.

    data: what the script gets, its kind and its label among it. picture: static SVG.
    alt: what the picture shows, for those who don't see it. alone: whether the output
    carries its code; a live figure without its weights stays a picture off the site.
    """

    def __init__(self, data, picture, alt, *, alone=True):
        if not isinstance(alt, str) or not alt.strip():
            raise ValueError(f"alt must say what the picture shows, got {alt!r}")
        self.data, self.picture, self.alt, self.alone = data, picture, alt, alone

    def __repr__(self):
        return f"<interactive figure: {self.data['label']}>"

    def _repr_html_(self):
        kind = self.data["kind"]
        script = f"<script {MARK}>{code(kind)}</script>" if self.alone else ""
        source = "data:image/svg+xml," + quote(self.picture, safe=" ='/:,;()+-.!*")
        data = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        data = data.replace("<", "\\u003c")  # no text can end the script element
        return (
            f'<div class="attn-widget" data-kind="{kind}">'
            f'<img alt="{html.escape(self.alt)}" src="{source}"'
            ' style="max-width:100%">'
            f'<script type="application/json">{data}</script></div>\n{script}'
        )


def thousandths(values):
    """Whole thousandths; a tie goes down, with room for what processors differ in."""
    return np.ceil(np.asarray(values, float) * 1000 - 0.5 - 1e-6).astype(int)


def whole(values):
    """The same as nested lists, for JSON."""
    return thousandths(values).tolist()


# --- Checks ---------------------------------------------------------------------------


def array(name, values, shape, *, low=None, high=None, blocked=False):
    """Finite numbers of the given shape, in which a word stands for any size.

    blocked: -inf is allowed, for scores.
    """
    try:
        values = np.asarray(values, float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers of shape {told(shape)}") from None
    wanted = tuple(size if isinstance(size, int) else None for size in shape)
    same = len(wanted) == values.ndim and all(
        size is None or size == came
        for size, came in zip(wanted, values.shape, strict=True)
    )
    if not same or not values.size:
        raise ValueError(f"{name} must be {told(shape)}, got {told(values.shape)}")
    if not (np.isfinite(values) | (blocked & (values == -np.inf))).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity")
    if low is not None and (values < low).any():
        raise ValueError(f"{name} must be at least {low}, got {values.min():.4g}")
    if high is not None and (values > high).any():
        raise ValueError(f"{name} must be at most {high:g}, got {values.max():.4g}")
    return values


def growing(lengths):
    """At least two numbers, each larger than the one before."""
    lengths = array("lengths", lengths, ("n",))
    if len(lengths) < 2 or (np.diff(lengths) <= 0).any():
        raise ValueError("lengths must be at least two numbers that grow")
    return lengths


def told(shape):
    """(T, S) as one writes it."""
    return f"({', '.join(map(str, shape))})"


def tokens(name, values):
    """A list of texts; a string gives its characters."""
    found = [str(value) for value in values]
    if not found:
        raise ValueError(f"{name} must hold at least one token, got none")
    return found


def integer(name, value, low, high):
    """A whole number between two others."""
    bad = isinstance(value, bool) or not isinstance(value, (int, np.integer))
    if bad or not low <= value <= high:
        message = f"{name} must be an integer from {low} to {high}, got {value!r}"
        raise ValueError(message)
    return int(value)


def number(name, value, low, high):
    """A real number between two others."""
    bad = isinstance(value, bool) or not isinstance(
        value, (int, float, np.integer, np.floating)
    )
    if bad or not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, got {value!r}")
    return float(value)
