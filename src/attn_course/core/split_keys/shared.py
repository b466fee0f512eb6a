"""How many parts are worth it. No framework."""

# An H100 has 132 multiprocessors: with as many programs it is busy without parts.
BUSY = 132
# Two programs on each hide the time in which one waits for its first keys, or ends.
PROGRAMS = 2 * BUSY
# More rows are no longer few queries: they fill tiles, and programs, by themselves.
MOST_ROWS, ROWS = 128, 64
# Below it a step is as long as its launches, and the merge adds some.
FEWEST_KEYS = 8192
# A part's keys: enough that what the merge reads of it (V + 2 numbers a row) is little.
PART = 512


def count_parts(heads: int, rows: int, keys: int) -> int | None:
    """The parts of so many keys of so many heads, B * G; None where they stay whole."""
    programs = heads * -(-rows // ROWS)
    if rows > MOST_ROWS or programs >= BUSY or keys < FEWEST_KEYS:
        return None
    return min(-(-PROGRAMS // programs), keys // PART)
