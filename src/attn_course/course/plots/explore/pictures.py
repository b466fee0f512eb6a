"""Static pictures as SVG text: mid-grey on no ground, for light and for dark pages."""

import html

import numpy as np

from attn_course.course.plots.colors import ACCENT, GREY
from attn_course.course.plots.explore.widget import thousandths

BLUE = "#3b78c9"
COLORS = (BLUE, ACCENT, "#2f8a5b", "#9a57b5", GREY)
DASHES = ("none", "7 4", "2 4", "9 3 2 3", "4 2")
_FONT = "ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace"


def softmax(scores):
    """Rows of weights; a row without any finite score is zero."""
    highest = scores.max(-1, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0)
    exponents = np.exp(scores - highest)
    return exponents / np.maximum(exponents.sum(-1, keepdims=True), 1e-300)


def svg(width, height, body):
    """The whole picture."""
    size = f"width='{width:.0f}' height='{height:.0f}'"
    view = f"viewBox='0 0 {width:.0f} {height:.0f}'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' {size} {view} fill='{GREY}' "
        f"font-family='{_FONT}' font-size='13'>{''.join(body)}</svg>"
    )


def text(x, y, words, *, anchor=None, turned=False, small=False):
    """A line of text that begins, or by anchor ends or is centered, at (x, y)."""
    words = "".join(letter if letter.isprintable() else " " for letter in words)
    extra = f" text-anchor='{anchor}'" if anchor else ""
    extra += f" transform='rotate(-90 {x:.0f} {y:.0f})'" if turned else ""
    extra += " font-size='11'" if small else ""
    content = html.escape(words, quote=False)
    return f"<text x='{x:.0f}' y='{y:.0f}'{extra}>{content}</text>"


def cells(parts, size):
    """A path for each tenth: darker is more. Below 0.05 a cell stays empty."""
    tenth = (np.asarray(parts) + 50) // 100
    paths = []
    for level in range(1, 11):
        places = np.argwhere(tenth == level)
        line = "".join(f"M{column} {row}h1" for row, column in places)
        if line:
            paths.append(f"<path d='{line}' opacity='{level / 10:g}'/>")
    place = f"transform='scale({size}) translate(0 .5)' stroke='{BLUE}'"
    crisp = "stroke-width='1' shape-rendering='crispEdges'"
    return f"<g {place} {crisp}>{''.join(paths)}</g>"


def frame(x, y, wide, high, inside):
    """A border around what stands inside, moved to (x, y)."""
    border = f"<path d='M0 0h{wide}v{high}h-{wide}z' fill='none' stroke='{GREY}'/>"
    return f"<g transform='translate({x} {y})'>{inside}{border}</g>"


def one_grid(parts, rows, columns, heading):
    """One map with its tokens, whole thousandths."""
    size = 18 if max(len(rows), len(columns)) <= 40 else 10
    upright = max(map(len, columns)) <= 2
    deep = max(map(len, columns))
    left = 16 + 8 * max(map(len, rows))
    top = 30 + (14 if upright else 8 * deep) * bool(deep)
    wide, high = size * len(columns), size * len(rows)
    body = [text(0, 14, heading), frame(left, top, wide, high, cells(parts, size))]
    for index, token in enumerate(rows):
        body.append(text(left - 6, top + size * index + 14, token, anchor="end"))
    for index, token in enumerate(columns):
        x = left + size * (index + 0.5)
        if upright:
            body.append(text(x, top - 6, token, anchor="middle"))
        else:
            body.append(text(x + 4, top - 6, token, turned=True))
    return svg(max(left + wide, 8 * len(heading)) + 8, top + high + 4, body)


def many_grids(layers, heading, names):
    """A small map per head, a row per layer; its name or its numbers stand below."""
    heads = len(layers[0])
    rows, columns = layers[0][0].shape
    size = max(2, min(18, round(660 / heads / columns)))
    wide, high = size * columns, size * rows
    body = [text(0, 14, heading)]
    for layer, head in np.ndindex(len(layers), heads):
        x, y = 1 + head * (wide + 14), 26 + layer * (high + 24)
        body.append(frame(x, y, wide, high, cells(layers[layer][head], size)))
        plain = f"{layer + 1}.{head + 1}" if heads > 1 else f"layer {layer + 1}"
        body.append(text(x, y + high + 14, names.get((layer, head), plain)))
    width = max(heads * (wide + 14), 8 * len(heading))
    return svg(width, 26 + len(layers) * (high + 24), body)


def bars(panels, names, *, high=1.0, numbers=True):
    """Panels of bars side by side: {title: (values, color)}; every bar has its name."""
    wide, tall = max(16, min(36, 620 // len(names))), 120
    upright = max(map(len, names)) <= 4
    body = []
    for panel, (title, (values, color)) in enumerate(panels.items()):
        values = thousandths(values)
        x = panel * (max(len(names) * wide, 8 * len(title)) + 40)
        body.append(text(x, 16, title))
        for index, part in enumerate(values):
            left, up = x + wide * index, part * tall / high / 1000
            shape = f"M{left} 160h{wide - 4}v-{up:.1f}h-{wide - 4}z"
            body.append(f"<path d='{shape}' fill='{color}'/>")
            middle = left + wide / 2 - 2
            if numbers and wide >= 30:
                value = f"{values[index] / 1000:.2f}"
                body.append(text(middle, 154 - up, value, anchor="middle", small=True))
            if upright:
                body.append(text(middle, 178, names[index], anchor="middle"))
            else:
                y = 166 + 8 * len(names[index])
                body.append(text(middle + 4, y, names[index], turned=True))
    each = max([len(names) * wide, *(8 * len(title) for title in panels)]) + 40
    deep = 186 if upright else 172 + 8 * max(map(len, names))
    return svg(len(panels) * each - 36, deep, body)


def rows_of_bars(entries, *, high):
    """A bar per row, with name and text: [(name, value, text)]."""
    body = []
    for index, (name, value, words) in enumerate(entries):
        y, wide = 40 * index, 440 * min(1, value / high)
        body += [text(0, y + 14, name), text(440, y + 14, words, anchor="end")]
        shape = f"M0 {y + 20}h{max(1, wide):.0f}v10h-{max(1, wide):.0f}z"
        body.append(f"<path d='{shape}' fill='{BLUE}'/>")
        body.append(f"<path d='M0 {y + 20}h440v10h-440z' fill='none' stroke='{GREY}'/>")
    return svg(444, 40 * len(entries), body)


def curves(x, named, *, low, high, xlabel, ylabel):
    """A line per name over x: {name: (y, lows, highs)}, the last two None or given."""
    left, top, wide, tall = 44, 30, 480, 190
    span = x[-1] - x[0] or 1

    def at(position, value):
        up = (min(max(value, low), high) - low) / (high - low)
        return (
            f"{left + wide * (position - x[0]) / span:.0f} {top + tall - tall * up:.0f}"
        )

    body = [
        text(0, 16, ylabel),
        text(left + wide / 2, top + tall + 36, xlabel, anchor="middle"),
    ]
    for value in np.linspace(low, high, 5):
        y = top + tall - tall * (value - low) / (high - low)
        body.append(text(left - 6, y + 4, f"{value:g}", anchor="end", small=True))
        body.append(f"<path d='M{left} {y:.0f}h{wide}' stroke='{GREY}' opacity='.3'/>")
    for position in (x[0], x[-1]):
        place = left + wide * (position - x[0]) / span
        body.append(text(place, top + tall + 18, f"{position:g}", anchor="middle"))
    for index, (name, (y, lows, highs)) in enumerate(named.items()):
        color, dash = COLORS[index % 5], DASHES[index % 5]
        y, lows, highs = (_rounded(values) for values in (y, lows, highs))
        line = [at(*point) for point in zip(x, y, strict=True)]
        if lows is not None:
            band = [at(*point) for point in zip(x, highs, strict=True)]
            band += [at(*point) for point in zip(x[::-1], lows[::-1], strict=True)]
            path = "L".join(band)
            body.append(f"<path d='M{path}z' fill='{color}' opacity='.18'/>")
        stroke = f"fill='none' stroke='{color}' stroke-width='2.4'"
        body.append(f"<path d='M{'L'.join(line)}' {stroke} stroke-dasharray='{dash}'/>")
        y = top + tall + 60 + 20 * index
        body.append(
            f"<path d='M{left} {y - 4}h34' {stroke} stroke-dasharray='{dash}'/>"
        )
        body.append(text(left + 44, y, name))
    return svg(left + wide + 30, top + tall + 50 + 20 * len(named), body)


def _rounded(values):
    """So that the last bits of a number change no byte of the picture."""
    return None if values is None else (thousandths(values) / 1000).tolist()
