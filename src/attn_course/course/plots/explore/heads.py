"""The figure that switches heads off."""

import numpy as np

from attn_course.course.plots.explore.models import MOST
from attn_course.course.plots.explore.pictures import BLUE, bars
from attn_course.course.plots.explore.widget import Widget, array, integer, whole


def explore_heads(
    results,
    shape,
    *,
    alt,
    metric="accuracy",
    names=None,
    weights=None,
    answers=None,
    expected=None,
    inputs=None,
    label="Heads on and off",
):
    """Switch heads off and see what was measured without them.

    Shapes:
        results: {heads that are off: value} with heads as tuples (layer, head); the
        value is from 0 to 1, or (value, lowest, highest). ``()`` is all heads on. A
        set that is missing is shown as not measured. shape: (layers, heads).
        names: {(layer, head): text}. weights: (layers, heads, T, S), drawn on the
        switches. answers: {heads that are off: texts}, beside the expected texts and,
        where given, the inputs.

    Raises:
        ValueError: a head, a value or the number of answers is not as above.
    """
    layers, heads = (integer("shape", size, 1, 64) for size in shape)
    places = list(np.ndindex(layers, heads))

    def key(off):
        off = [tuple(place) for place in off]
        unknown = [place for place in off if place not in places]
        if unknown:
            raise ValueError(f"no head {unknown[0]} in {layers} layers of {heads}")
        return "".join("0" if place in off else "1" for place in places)

    found = {key(off): _interval(value) for off, value in results.items()}
    if key(()) not in found:
        raise ValueError("results must hold (), the value with all heads on")
    data = {
        "kind": "heads",
        "label": label,
        "metric": metric,
        "shape": [layers, heads],
        "results": found,
        "open": len(found) < 2 ** len(places),
        "names": {places.index(place): name for place, name in (names or {}).items()},
    }
    if weights is not None:
        fitting = array("weights", weights, (layers, heads, "T", "S"), low=0, high=MOST)
        data["weights"] = whole(fitting.reshape(len(places), -1))
        data["size"] = list(fitting.shape[2:])
    if answers is not None:
        data |= _answers(answers, expected, inputs, key)
    return Widget(data, _single(found, places, metric), alt)


def _interval(value):
    values = array("results", np.atleast_1d(value), ("values",), low=0, high=1)
    if values.size not in (1, 3):
        message = "results must be a value or (value, lowest, highest)"
        raise ValueError(f"{message}, got {values.size} numbers")
    return whole(values)


def _answers(answers, expected, inputs, key):
    if expected is None:
        raise ValueError("answers need expected, the right texts")
    for name, texts in (("inputs", inputs or expected), *answers.items()):
        if len(texts) != len(expected):
            message = f"as many texts as expected has, {len(expected)}"
            raise ValueError(f"{name} must hold {message}, got {len(texts)}")
    given = {key(off): list(texts) for off, texts in answers.items()}
    return {"answers": given, "expected": list(expected), "inputs": inputs}


def _single(found, places, metric):
    """Bars: all heads, then each head off alone, where it was measured."""
    keys = ["1" * len(places)]
    keys += ["1" * at + "0" + "1" * (len(places) - at - 1) for at in range(len(places))]
    names = ["all", *(f"-{layer + 1}.{head + 1}" for layer, head in places)]
    pairs = [
        (name, found[k][0]) for name, k in zip(names, keys, strict=True) if k in found
    ]
    values = np.array([value for _, value in pairs]) / 1000
    title = f"{metric}, with all heads and without one"
    return bars({title: (values, BLUE)}, [name for name, _ in pairs])
