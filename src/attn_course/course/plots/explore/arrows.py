"""The figure of a query arrow over key arrows."""

import numpy as np

from attn_course.course.plots.explore.pictures import (
    ACCENT,
    BLUE,
    GREY,
    softmax,
    svg,
    text,
)
from attn_course.course.plots.explore.widget import Widget, array, tokens, whole

UNIT, MIDDLE = 36, 126  # pixels per unit of the plane, and where its origin stands


def explore_arrows(
    words,
    keys,
    values,
    queries,
    *,
    alt,
    name="it",
    prompt="it was …",
    axes=("first", "second"),
    gives=("first", "second"),
    label="A query over keys",
):
    """Turn and stretch a query arrow: scores, weights and the output follow.

    The score is the dot product of query and key over the root of 2, their width. The
    output stands inside the shape whose corners are the values.

    queries: what is asked, in words -> a query of two numbers, at most 3 long.

    Shapes:
        words: n texts. keys (n, 2). values (n, 2), from 0 up.

    Raises:
        ValueError: a shape doesn't fit, or an arrow leaves the plane.
    """
    words = tokens("words", words)
    keys = array("keys", keys, (len(words), 2), low=-3, high=3)
    values = array("values", values, (len(words), 2), low=0)
    asks = array("queries", [*queries.values()], ("n", 2), low=-3, high=3)
    data = {
        "kind": "arrows",
        "label": label,
        "words": words,
        "name": name,
        "prompt": prompt,
        "names": list(queries),
        "axes": list(axes),
        "gives": list(gives),
        "keys": whole(keys),
        "values": whole(values),
        "asks": whole(asks),
        "start": 0,
    }
    return Widget(data, _picture(data, keys, values, asks[0]), alt)


def _picture(data, keys, values, query):
    """The first query: arrows, scores and weights, and where the output stands."""
    scores = keys @ query / np.sqrt(2)
    weights = softmax(scores)
    ends = np.vstack([keys, query]) * (UNIT, -UNIT) + MIDDLE
    thick = [*(1.8 + 5 * weights), 3.5]
    colors = [BLUE] * len(keys) + [ACCENT]
    body = [f"<path d='M0 {MIDDLE}h252M{MIDDLE} 0v252' stroke='{GREY}' opacity='.4'/>"]
    for (x, y), width, color in zip(ends, thick, colors, strict=True):
        body.append(
            f"<path d='M{MIDDLE} {MIDDLE}L{x:.0f} {y:.0f}' stroke='{color}' "
            f"stroke-width='{width:.1f}'/><circle cx='{x:.0f}' cy='{y:.0f}' r='5' "
            f"fill='{color}'/>"
        )
    for word, (x, y) in zip(data["words"], ends[:-1], strict=True):
        body.append(text(x + 8, y - 8, word))
    x, y = ends[-1]
    body.append(text(x + 10, y - 4, f"{data['name']}?"))
    for row, (word, score, weight) in enumerate(
        zip(data["words"], scores, weights, strict=True)
    ):
        y = 70 + 40 * row
        body.append(text(280, y, f"{word:6} {score:5.2f}"))
        body.append(f"<rect x='390' y='{y - 11}' width='{80 * weight:.0f}' "
                    f"height='13' fill='{BLUE}'/>")  # fmt: skip
        body.append(text(396 + 80 * weight, y, f"{weight:.2f}"))
    body.append(text(280, 34, "key    score  weight", small=True))
    corners = values / values.max() * (110, -110) + (540, 190)
    found = weights @ corners
    shape = "L".join(f"{x:.0f} {y:.0f}" for x, y in corners)
    body.append(f"<path d='M{shape}z' fill='none' stroke='{GREY}'/>")
    body.append(f"<circle cx='{found[0]:.0f}' cy='{found[1]:.0f}' r='7' "
                f"fill='{ACCENT}'/>")  # fmt: skip
    for word, (x, y) in zip(data["words"], corners, strict=True):
        body.append(text(x, y + (18 if y > 150 else -8), word, anchor="middle"))
    body.append(text(595, 240, "what comes out", anchor="middle", small=True))
    return svg(690, 256, body)
