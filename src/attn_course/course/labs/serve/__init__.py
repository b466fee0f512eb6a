"""An engine that serves the model that ships, and its timeline as text.

python -m attn_course.course.labs.serve --framework torch --requests 6 --blocks 16
"""

SIGNS = {"preempted": "!", "hit": "h", "written": "w", "read": "r", "waited": "."}


def timeline_text(engine):
    """A line for each request, a column for each step, and how full the blocks are.

    . waits, r reads a piece of its prompt, h its first one, behind blocks that were
    known, w writes a token, ! gives its blocks back. The last line has the tenths of
    all blocks that are in use, X for all.
    """
    lines = []
    for number in range(engine.counts["requests"]):
        told = ([s for n, s in SIGNS.items() if x[n].get(number)] for x in engine.log)
        lines.append("".join((signs or " ")[0] for signs in told))
    total = len(engine.blocks.holders)
    used = (10 * (total - entry["free"]) // total for entry in engine.log)
    return [*lines, "".join("0123456789X"[tenths] for tenths in used)]
