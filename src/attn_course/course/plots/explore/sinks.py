"""A figure of one row of weights that may sum to less than one."""

import numpy as np

from attn_course.course.plots.explore.pictures import ACCENT, BLUE, bars
from attn_course.course.plots.explore.widget import Widget, array, number, whole


def explore_sink(
    scores, values, *, alt, sink=0.0, names=None, label="A head with a sink"
):
    """Move a sink's score, or all others: weights, row sum and output.

    Beside it the plain softmax of the same scores. The bar "nothing" is what the sink
    takes: 1 - sigmoid(lse - b).

    Shapes:
        scores: (S). values: (S), numbers. names: S texts, k1 to kS by default.

    Raises:
        ValueError: a shape doesn't fit, or the sink is not from -6 to 6.
    """
    scores = array("scores", scores, ("S",))
    values = array("values", values, (len(scores),))
    sink = number("sink", sink, -6, 6)
    names = list(names or [f"k{index + 1}" for index in range(len(scores))])
    if len(names) != len(scores):
        raise ValueError(f"names must be {len(scores)} texts, got {len(names)}")
    data = {
        "kind": "sink",
        "label": label,
        "keys": names,
        "scores": whole(scores),
        "values": whole(values),
        "sink": whole(np.array([sink]))[0],
    }
    exponents = np.append(np.exp(scores), np.exp(sink))
    plain = np.append(exponents[:-1] / exponents[:-1].sum(), 0)
    panels = {
        "softmax": (plain, ACCENT),
        f"with a sink, b = {sink:g}": (exponents / exponents.sum(), BLUE),
    }
    return Widget(data, bars(panels, [*names, "nothing"]), alt)
