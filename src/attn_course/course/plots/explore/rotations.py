"""The figure of rotations that reach beyond their training."""

import numpy as np

from attn_course.course.plots.explore.pictures import curves
from attn_course.course.plots.explore.widget import Widget, integer, number

RULES = {
    "none": "as trained",
    "linear": "linear (PI)",
    "ntk": "NTK",
    "yarn": "YaRN",
    "llama3": "Llama 3",
}
SPAN = 8  # the picture reaches so many trained lengths


def explore_rotation(
    *,
    alt,
    dim=64,
    base=10000.0,
    trained_length=2048,
    method="none",
    factor=4.0,
    position=None,
    label="Rotations beyond the training",
):
    """The angle of every pair against the position, by method and factor.

    Angles are counted in units of the largest one in training; pairs that turned at
    least once in training have met every angle. It begins at a position, else in the
    middle. What the methods do:
    ``attn_course.reference.rotary_frequencies``.

    Raises:
        ValueError: dim is odd, the method unknown, or a number out of range.
    """
    from attn_course.reference import rotary_frequencies  # only this figure needs it

    if method not in RULES:
        raise ValueError(f"method must be one of {tuple(RULES)}, got {method!r}")
    if integer("dim", dim, 4, 256) % 2:
        raise ValueError(f"dim must be even, got {dim}")
    if position is None:
        position = SPAN * trained_length // 2
    data = {
        "kind": "rotation",
        "label": label,
        "dim": int(dim),
        "base": number("base", base, 10, 1e7),
        "length": integer("trained_length", trained_length, 8, 1 << 20),
        "methods": list(RULES),
        "names": list(RULES.values()),
        "method": method,
        "factor": number("factor", factor, 1, 16),
        "position": integer("position", position, 0, SPAN * trained_length),
    }
    rule = {"base": base, "factor": factor, "trained_length": trained_length}
    plain, _ = rotary_frequencies(dim, base=base)
    named = None if method == "none" else method
    steps, _ = rotary_frequencies(dim, method=named, **rule)
    x = np.arange(33) * SPAN * trained_length / 32
    shown = np.linspace(0, dim // 2 - 1, 5).round().astype(int)
    lines = {}
    for pair in shown:
        turns = trained_length * plain[pair] / (2 * np.pi)
        words = "at least one turn" if turns >= 1 else "less than one turn"
        angle = x / trained_length * steps[pair] / plain[pair]
        lines[f"pair {pair}: {words}"] = (angle, None, None)
    ylabel = f"angle / largest in training, {RULES[method]}, factor {factor:g}"
    labels = {"xlabel": "position", "ylabel": ylabel}
    return Widget(data, curves(x, lines, low=0, high=SPAN, **labels), alt)
