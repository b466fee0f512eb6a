"""What decoding waits for: memory or arithmetic, by kind of attention and processor."""

import math

from attn_course.course.plots.explore.pictures import rows_of_bars
from attn_course.course.plots.explore.widget import Widget, integer, number, thousandths


def explore_roofline(
    kinds,
    devices,
    *,
    alt,
    heads=32,
    measured=None,
    label="Roofline of a decoding step",
):
    """Slide the heads: operations per byte, and the share of a processor they can use.

    operations per byte = rate * heads / key heads * new tokens / bytes of a number
    share = min(1, operations per byte / (operations per s / bytes per s))
    measured: (device, words, {kind: bytes per s}), with these heads and one new token;
    squares stand where the kinds came to, each below the dot of what it can reach.

    Shapes:
        kinds: {name: (rate, key heads)}; rate is the number of operations that a
        query's head does with a number of the cache, 2 for a multiplication and an
        addition; key heads None: as many as heads of the query. devices: {name:
        (operations per s, bytes per s, bytes of a number)}. heads: a power of two
        from 8 to 128.

    Raises:
        ValueError: there is no kind or no device, a number is not positive, or what
            was measured is no device, or not all kinds.
    """
    if not 1 <= len(kinds) <= 5 or not devices:
        raise ValueError("there must be 1 to 5 kinds and at least one device")
    if heads not in (8, 16, 32, 64, 128):
        raise ValueError(f"heads must be 8, 16, 32, 64 or 128, got {heads!r}")
    where, told, read = measured or (None, "", {})
    if measured and (where not in devices or read.keys() != kinds.keys()):
        raise ValueError("measured must be one of the devices, and all kinds on it")
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
        if name == where:
            done = [intensity(x, heads, size) * read[x["name"]] for x in entries]
            parts = zip(kinds, done, strict=True)
            listed = ", ".join(f"{kind} {each / 1e12:.3g}" for kind, each in parts)
            known[-1]["said"] = f" Squares: {told}, in TFLOP/s: {listed}."
            known[-1]["reached"] = [round(each / operations, 6) for each in done]
    for index, entry in enumerate(entries):
        found = intensity(entry, heads, known[0]["size"])
        share = min(1.0, found / known[0]["ridge"])
        words = f"{found:.3g} per byte, {percent(share)} of the arithmetic"
        if where == known[0]["name"]:
            words += f", measured {percent(known[0]['reached'][index])}"
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


def percent(share):
    """As the figure writes it."""
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"
