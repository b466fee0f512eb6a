"""What decoding waits for: memory or arithmetic, by kind of attention and processor."""

import math

from attn_course.course.plots.explore.pictures import rows_of_bars
from attn_course.course.plots.explore.widget import Widget, integer, number, thousandths


def explore_roofline(
    kinds, devices, *, alt, heads=32, label="Roofline of a decoding step"
):
    """Slide the heads: operations per byte, and the share of a processor they can use.

    operations per byte = rate * heads / key heads * new tokens / bytes of a number
    share = min(1, operations per byte / (operations per s / bytes per s))

    Shapes:
        kinds: {name: (rate, key heads)}; rate is the number of operations that a
        query's head does with a number of the cache, 2 for a multiplication and an
        addition; key heads None: as many as heads of the query. devices: {name:
        (operations per s, bytes per s, bytes of a number)}. heads: a power of two
        from 8 to 128.

    Raises:
        ValueError: there is no kind or no device, or a number is not positive.
    """
    if not 1 <= len(kinds) <= 5 or not devices:
        raise ValueError("there must be 1 to 5 kinds and at least one device")
    if heads not in (8, 16, 32, 64, 128):
        raise ValueError(f"heads must be 8, 16, 32, 64 or 128, got {heads!r}")
    rows, entries = [], []
    for name, (rate, groups) in kinds.items():
        rate = number(f"rate of {name!r}", rate, 0.001, 1e6)
        if groups is not None:
            groups = integer(f"key heads of {name!r}", groups, 1, 1024)
        entries.append({"name": name, "rate": int(thousandths(rate)), "groups": groups})
    known = []
    for name, (operations, speed, size) in devices.items():
        operations = number(f"operations of {name!r}", operations, 1, 1e18)
        speed = number(f"bytes of {name!r}", speed, 1, 1e18)
        size = number(f"size of a number of {name!r}", size, 0.125, 8)
        known.append(
            {"name": name, "ridge": round(operations / speed, 2), "size": size}
        )
    for entry in entries:
        found = intensity(entry, heads, known[0]["size"])
        share = min(1.0, found / known[0]["ridge"])
        words = f"{found:.3g} operations per byte, {share:.0%} of the arithmetic"
        rows.append((entry["name"], share, words))
    data = {
        "kind": "roofline",
        "label": label,
        "kinds": entries,
        "devices": known,
        "heads": int(math.log2(heads)),
    }
    return Widget(data, rows_of_bars(rows, high=1), alt)


def intensity(entry, heads, size):
    """Operations per byte for one new token."""
    return entry["rate"] / 1000 * heads / min(entry["groups"] or heads, heads) / size
