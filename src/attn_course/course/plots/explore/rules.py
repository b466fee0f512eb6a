"""Figures of rules that need no trained model: scale, masks, windows, positions."""

import numpy as np

from attn_course.course.plots.explore.pictures import (
    ACCENT,
    BLUE,
    COLORS,
    bars,
    curves,
    one_grid,
    softmax,
)
from attn_course.course.plots.explore.widget import (
    Widget,
    array,
    integer,
    number,
    thousandths,
    tokens,
    whole,
)

METHODS = ("Sinusoids", "RoPE", "ALiBi")


def explore_scale(
    query,
    keys,
    *,
    alt,
    widths=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
    start=64,
    names=None,
    details=True,
    label="Softmax and scale",
):
    """Weights of one query for growing width, with and without the scale.

    The first 1, 2, 4, ... components of query and keys give the scores. details adds a
    temperature, the entropy and how fast a weight can change.

    Shapes:
        query: (D). keys: (n, D). names: n texts, k1 to kn by default.

    Raises:
        ValueError: a shape doesn't fit, start is not among the widths that D holds.
    """
    query = array("query", query, ("D",))
    keys = array("keys", keys, ("n", len(query)))
    widths = [integer("widths", width, 1, 1 << 20) for width in widths]
    widths = [width for width in widths if width <= len(query)]
    if start not in widths:
        raise ValueError(f"start must be one of {widths}, got {start}")
    names = names or [f"k{index + 1}" for index in range(len(keys))]
    if len(names) != len(keys):
        raise ValueError(f"names must be {len(keys)} texts, got {len(names)}")
    scores = np.stack([keys[:, :width] @ query[:width] for width in widths])
    data = {
        "kind": "scale",
        "label": label,
        "widths": widths,
        "start": widths.index(start),
        "keys": list(names),
        "scores": whole(scores),
        "details": bool(details),
    }
    chosen = scores[widths.index(start)]
    panels = {
        f"without scale, width {start}": (softmax(chosen), COLORS[2]),
        f"scaled, width {start}": (softmax(chosen / np.sqrt(start)), ACCENT),
    }
    return Widget(data, bars(panels, list(names)), alt)


def explore_pattern(
    *,
    alt,
    n=24,
    window=4,
    stride=0,
    global_tokens=0,
    causal=True,
    layers=2,
    label="Pattern explorer",
):
    """Build a mask: its picture, its pairs, its share of n^2, and its reach.

    Query i sees key j if |i - j| < window, or stride divides i - j, or one of the two
    is among the first global_tokens; 0 leaves a rule out, and without any rule every
    pair is allowed. Causal: only j <= i. The reach after k layers counts what a
    position can depend on, its own residual stream among it.

    Raises:
        ValueError: a number is outside the range of its slider.
    """
    settings = {
        "n": integer("n", n, 4, 64),
        "window": integer("window", window, 0, 32),
        "stride": integer("stride", stride, 0, 16),
        "global": integer("global_tokens", global_tokens, 0, 8),
        "causal": bool(causal),
        "layers": integer("layers", layers, 1, 12),
    }
    row, column = np.indices((n, n))
    parts = [abs(row - column) < window]
    parts += [(row < global_tokens) | (column < global_tokens)]
    parts += [(row - column) % stride == 0] if stride else []
    ruled = window or stride or global_tokens
    mask = np.logical_or.reduce(parts) if ruled else np.ones((n, n), bool)
    mask = mask & (column <= row) if causal else mask
    data = {"kind": "pattern", "label": label, "settings": settings}
    empty = [""] * n
    return Widget(data, one_grid(mask * 1000, empty, empty, "query ↓  key →"), alt)


def explore_window(
    words,
    *,
    alt,
    scores=None,
    center=None,
    half_width=3.0,
    gaussian=True,
    label="Local window",
):
    """Drag the window of Luong's local attention.

    weight[s] = softmax over |s - center| <= half_width of the scores, and if gaussian
    times exp(-(s - center)^2 / (2 sigma^2)), sigma = half_width / 2, not normalized
    again.

    Shapes:
        words: S tokens, positions from 0. scores: (S), equal ones by default. center:
        a real number, the middle by default; it is shown to a tenth, half_width to a
        half.

    Raises:
        ValueError: the scores don't fit, center is outside, half_width below 0.5.
    """
    words = tokens("words", words)
    S = len(words)
    scores = array("scores", np.zeros(S) if scores is None else scores, (S,))
    center = number("center", (S - 1) / 2 if center is None else center, 0, S - 1)
    half_width = number("half_width", half_width, 0.5, S)
    center, half_width = round(10 * center) / 10, round(2 * half_width) / 2
    data = {
        "kind": "window",
        "label": label,
        "tokens": words,
        "scores": whole(scores),
        "center": round(10 * center),
        "half": round(2 * half_width),
        "gaussian": bool(gaussian),
    }
    distance = np.arange(S) - center
    inside = np.abs(distance) <= half_width
    weights = np.where(inside, np.exp(scores - scores[inside].max(initial=0)), 0)
    weights = weights / max(weights.sum(), 1e-300)
    if gaussian:
        weights = weights * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))
    title = f"weights, center {center:g}, half width {half_width:g}"
    high = max(0.1, weights.max())
    return Widget(data, bars({title: (weights, BLUE)}, words, high=high), alt)


def explore_positions(
    *,
    alt,
    dim=64,
    length=64,
    base=10000.0,
    num_heads=8,
    method="RoPE",
    query=20,
    key=32,
    label="Position dial",
):
    """Sinusoids, rotations and slopes of ALiBi, against the offset of key and query.

    angle of pair i at position p = p * base^(-2i / dim), for the first two; ALiBi adds
    -slope * |j - i| to the score, with the slopes of num_heads heads.

    Raises:
        ValueError: dim is odd, the method unknown, or a number out of range.
    """
    from attn_course.reference import alibi_slopes  # only this figure needs a topic

    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, got {method!r}")
    if integer("dim", dim, 2, 256) % 2:
        raise ValueError(f"dim must be even, got {dim}")
    integer("length", length, 5, 512)
    slopes = [float(f"{slope:.6g}") for slope in alibi_slopes(num_heads)]
    data = {
        "kind": "positions",
        "label": label,
        "dim": int(dim),
        "length": int(length),
        "base": number("base", base, 10, 1e6),
        "slopes": slopes,
        "start": method,
        "query": integer("query", query, 0, length - 1),
        "key": integer("key", key, 0, length - 1),
    }
    return Widget(data, _by_offset(data, slopes[len(slopes) // 2]), alt)


def _by_offset(data, slope):
    """The score of vectors of ones, and ALiBi's factor, over the key's position."""
    positions = np.arange(data["length"])
    offsets = positions - data["query"]
    turns = data["base"] ** (-np.arange(0, data["dim"], 2) / data["dim"])
    alike = np.cos(offsets[:, None] * turns).mean(-1)
    factor = np.exp(-slope * np.abs(offsets))
    named = {
        "sinusoids and RoPE, vectors of ones": (alike, None, None),
        f"ALiBi: factor exp(bias), slope {slope:.3g}": (factor, None, None),
    }
    xlabel = f"position of the key, query at {data['query']}"
    return curves(positions, named, low=-1, high=1, xlabel=xlabel, ylabel="")


def explore_tiles(scores, *, alt, block_size=4, label="Tiles of flash attention"):
    """Step through tiles of a score matrix, with a row's running maximum and sum.

    Shapes:
        scores: (T, S), at most 32 each.

    Raises:
        ValueError: the shape or the block size is not as above.
    """
    scores = array("scores", scores, ("T", "S"))
    if max(scores.shape) > 32:
        raise ValueError(f"scores must be at most (32, 32), got {scores.shape}")
    data = {
        "kind": "tiles",
        "label": label,
        "scores": whole(scores),
        "block": integer("block_size", block_size, 1, min(scores.shape)),
    }
    rows, columns = ([str(i + 1) for i in range(size)] for size in scores.shape)
    heading = "weights: query ↓  key →"
    picture = one_grid(thousandths(softmax(scores)), rows, columns, heading)
    return Widget(data, picture, alt)
