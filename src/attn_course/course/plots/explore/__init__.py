"""Figures to drag: HTML with its data, its code and a static picture in one output.

The picture is what stays without JavaScript, in print and in a notebook that is not
trusted yet. No server and no other host is asked. The same input gives the same bytes
on every machine: there are no random identifiers, numbers travel as whole thousandths,
and a tie is rounded down.

Every function takes ``alt``, what the picture shows, in words. Its result shows itself
in a notebook (``_repr_html_``); ``.picture`` is the static SVG, ``.data`` what the
script gets.
"""

from attn_course.course.plots.explore.arrows import explore_arrows
from attn_course.course.plots.explore.capacity import explore_capacity
from attn_course.course.plots.explore.heads import explore_heads
from attn_course.course.plots.explore.models import (
    explore,
    explore_order,
    explore_steps,
)
from attn_course.course.plots.explore.numbers import explore_cache, explore_lengths
from attn_course.course.plots.explore.roofline import explore_roofline
from attn_course.course.plots.explore.rotations import explore_rotation
from attn_course.course.plots.explore.rules import (
    explore_pattern,
    explore_positions,
    explore_scale,
    explore_tiles,
    explore_window,
)
from attn_course.course.plots.explore.schedules import explore_blocks, explore_server
from attn_course.course.plots.explore.sinks import explore_sink
from attn_course.course.plots.explore.widget import MARK, PARTS, Widget, code

__all__ = [
    "MARK",
    "PARTS",
    "Widget",
    "code",
    "explore",
    "explore_arrows",
    "explore_blocks",
    "explore_cache",
    "explore_capacity",
    "explore_heads",
    "explore_lengths",
    "explore_order",
    "explore_pattern",
    "explore_positions",
    "explore_roofline",
    "explore_rotation",
    "explore_scale",
    "explore_server",
    "explore_sink",
    "explore_steps",
    "explore_tiles",
    "explore_window",
]
