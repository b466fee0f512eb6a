"""The figure of the page of costs: two panels on log axes, as SVG that follows a light or a dark page."""

import math
from itertools import pairwise

WIDTH, HEIGHT = 394, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 280, 34, 258
GAP = 17  # between the names of two lines
COLORS = ("var(--fig-1, #bf5c18)", "var(--fig-2, #3574b8)", "var(--fig-3, #3d8050)", "var(--fig-4, #8a58ae)")
INK = "var(--fig-ink, #7a7a7a)"


def panel(title, named, x_ticks, y_ticks, label):
    """Lines, each {name: (lengths, values)}, with their names at the ends; ticks are {place: words}."""
    place_x, place_y = _scale(x_ticks, LEFT, RIGHT), _scale(y_ticks, BOTTOM, TOP)
    parts = [f'<text x="4" y="16" font-weight="700">{title}</text>']
    for value, words in y_ticks.items():
        y = place_y(value)
        parts.append(f'<path d="M{LEFT} {y:.0f} H{RIGHT}" stroke="{INK}" stroke-opacity="0.3"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 5:.0f}" text-anchor="end">{words}</text>')
    for value, words in x_ticks.items():
        x = place_x(value)
        parts.append(f'<path d="M{x:.0f} {BOTTOM} v5" stroke="{INK}"/>')
        parts.append(f'<text x="{x:.0f}" y="{BOTTOM + 21}" text-anchor="middle">{words}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{HEIGHT - 3}" text-anchor="middle">tokens</text>')
    ends = _apart([place_y(values[-1]) for _, values in named.values()])
    for number, ((name, (lengths, values)), end) in enumerate(zip(named.items(), ends, strict=True)):
        color = COLORS[number % len(COLORS)]
        dash = ' stroke-dasharray="6 4"' if number >= len(COLORS) else ""
        points = " L".join(f"{place_x(n):.1f} {place_y(v):.1f}" for n, v in zip(lengths, values, strict=True))
        parts.append(f'<path d="M{points}" fill="none" stroke="{color}" stroke-width="2.5"{dash}/>')
        parts.append(f'<text x="{RIGHT + 7}" y="{end + 5:.0f}" fill="{color}" font-weight="600">{name}</text>')
    head = f'<svg class="drawn" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" fill="{INK}" font-size="14"'
    return "\n".join([f'{head} aria-label="{label}">', *parts, "</svg>"])


def _scale(ticks, first, last):
    """Where a value stands between the first and the last tick, on a log axis."""
    low, high = math.log(min(ticks)), math.log(max(ticks))
    return lambda value: first + (last - first) * (math.log(value) - low) / (high - low)


def _apart(places):
    """The places of names, from top to bottom, moved down until none touches another, and up from the end."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + GAP)
    moved[order[-1]] = min(moved[order[-1]], BOTTOM - 2)
    for below, above in pairwise(order[::-1]):
        moved[above] = min(moved[above], moved[below] - GAP)
    return moved


def figure(panels, caption):
    """The panels beside each other, one below the other on a phone."""
    inside = "\n".join(panels)
    return f'<figure>\n<div class="beside">\n{inside}\n</div>\n<figcaption>{caption}</figcaption>\n</figure>'
