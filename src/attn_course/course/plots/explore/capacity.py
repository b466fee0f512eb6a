"""The figure of a cliff that moves: results over size and length."""

from attn_course.course.plots.explore.pictures import curves
from attn_course.course.plots.explore.widget import (
    Widget,
    array,
    growing,
    integer,
    whole,
)


def explore_capacity(
    lengths,
    runs,
    texts,
    wrote,
    *,
    alt,
    start=(0, 0, 0),
    xlabel="letters",
    ylabel="come back right",
    size="width",
    label="Results over size and length",
):
    """Slide size and length: the share that is right, and what one model wrote.

    Shapes:
        lengths: n growing numbers. runs: {training: {size: (runs, n)}}, shares from 0
        to 1; the mean is drawn, with the lowest and the highest as a band. texts: n
        pairs, what is read and what is right. wrote: {training: {size: n texts}}.
        start: training, size and length that are chosen first, from 0. The other sizes
        are drawn once the size was moved; the static picture has all of them. Each
        line has its size beside it, another training the first word of its name.

    Raises:
        ValueError: lengths don't grow, sizes differ between trainings, there are none
        or more than five of them, or a shape doesn't fit.
    """
    lengths = growing(lengths)
    n = len(lengths)
    trainings = list(runs)
    sizes = list(runs[trainings[0]]) if trainings else []
    if not 1 <= len(sizes) <= 5:
        raise ValueError(f"runs must hold 1 to 5 sizes, got {len(sizes)}")
    named, written = {}, {}
    for each in trainings:
        if list(runs[each]) != sizes or list(wrote.get(each, ())) != sizes:
            raise ValueError(f"runs and wrote must hold the sizes {sizes} in {each!r}")
        for one in sizes:
            found = array(f"runs of {one}", runs[each][one], ("runs", n), low=0, high=1)
            named[each, one] = found.mean(0), found.min(0), found.max(0)
            written[each, one] = [str(text) for text in wrote[each][one]]
    if any(len(rows) != n for rows in (texts, *written.values())):
        raise ValueError(f"texts and wrote must hold {n} texts each, one per length")
    limits = len(trainings), len(sizes), n
    data = {
        "kind": "capacity",
        "label": label,
        "lengths": lengths.astype(int).tolist(),
        "trainings": trainings,
        "sizes": sizes,
        "size": size,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "start": [
            integer("start", place, 0, most - 1)
            for place, most in zip(start, limits, strict=True)
        ],
        "texts": [list(pair) for pair in texts],
        "runs": [
            [[whole(part) for part in named[t, s]] for s in sizes] for t in trainings
        ],
        "wrote": [[written[t, s] for s in sizes] for t in trainings],
    }
    shown = {f"{size} {one}": named[trainings[data["start"][0]], one] for one in sizes}
    axes = {"low": 0.0, "high": 1.0, "xlabel": xlabel, "ylabel": ylabel}
    return Widget(data, curves(data["lengths"], shown, **axes), alt)
