"""`make costs`: book/complexity.md, from the catalog and from what was measured.

Nobody edits the page. A test compares it with what this file writes.
"""

from __future__ import annotations

import math
import re
from statistics import median

from publisher import ROOT

from attn_course.bench.cases import BLOCK, NO_ATTENTION, SUMMARY, WIDTH
from attn_course.bench.measure import slope
from attn_course.catalog import BESIDE, CATALOG
from attn_course.labs import load_record
from attn_course.labs.costs import CASES, DENSE, FRAMEWORKS, LAST, crossovers, growth, lengths_of
from attn_course.labs.costs.cases import HEADS, RANK, WINDOW

PAGE = ROOT / "book" / "complexity.md"
TEXT = (ROOT / "tools" / "templates" / "complexity.md.txt").read_text(encoding="utf-8")


def page() -> str:
    record = load_record("costs")
    rows, counts = record["rows"], record["operations"]
    lengths = lengths_of(DENSE)
    rows_of_catalog = [row for row in CATALOG if row.name not in NO_ATTENTION]
    far = [row.name for row in rows_of_catalog if lengths_of(row.name) == lengths]
    return TEXT.format(
        orders=table(
            ("Layer", "Time", "Memory", "In sequence", "Path", "Source"), map(orders, (*rows_of_catalog, *BESIDE))
        ),
        times=table(
            ("Mechanism", "Operations", "Time, PyTorch", "Time, TensorFlow", "Lengths"),
            (
                (*titled(name), counted(counts[name]), *exponents(rows, name, "milliseconds"), span(name))
                for name in CASES
            ),
        ),
        memory=table(
            ("Mechanism", "PyTorch", "TensorFlow", "MiB at most", "At length"),
            (
                (*titled(name), *exponents(rows, name, "mib"), most(rows, name), f"{CASES[name].longest:,}")
                for name in CASES
            ),
        ),
        crossings=table(
            ("Mechanism", "PyTorch", "TensorFlow"),
            ((*titled(name), *(crossing(rows, each, name) for each in FRAMEWORKS)) for name in far),
        ),
        **{"heads": HEADS, "width": WIDTH, "window": WINDOW, "block": BLOCK, "summary": SUMMARY, "rank": RANK},
        **{"last": LAST, "runs": len(growth(rows, "pytorch", DENSE, "mib"))},
        **{"shortest": lengths[0], "longest": lengths[-1]},
        **{key: record[key] for key in ("date", "processor", "load", "seconds", "command")},
        **{name: record["versions"][name] for name in ("torch", "tensorflow")},
    )


def table(header, rows) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def orders(row):
    """A row of the catalog."""
    source = "formula" if row.orders == "the formula" else row.orders
    return (*titled(row.name), *map(formula, (row.time, row.memory, row.steps, row.path)), source)


# How the words of a name are written on a page.
WORDS = {"dot product": "dot-product", "luong": "Luong's", "self att": "self-att", "multi head": "multi-head"}
WORDS |= {"delta rule": "delta-rule", "performer": "Performer's", "random feature": "random-feature", "lsh": "LSH"}
WORDS |= {"linformer": "Linformer's", "grouped query": "grouped-query", "sliding window": "sliding-window"}
WORDS |= {"dilated window": "dilated-window", "longformer": "Longformer's", "block sparse": "block-sparse"}
WORDS |= {"big bird": "BigBird's", "fixed context": "fixed-context"}


def titled(name):
    """A mechanism's name, with a link to its chapter where it has one, alone in a list."""
    chapters = {row.name: row.chapter for row in CATALOG}
    words = name.replace("_", " ")
    for plain, written in WORDS.items():
        words = words.replace(plain, written)
    return [f"{{doc}}`{words} <{chapters[name]}>`" if name in chapters else words]


def formula(text: str) -> str:
    """Each O(...) of an order as a formula."""
    found = re.sub(r"O\((?:[^()]|\([^()]*\))*\)", lambda match: f"${match[0]}$", text)
    return re.sub(r"sqrt\((\w+)\)", r"\\sqrt{\1}", found).replace("log", r"\log").replace("blocks", r"\text{blocks}\,")


def counted(pair) -> str:
    return f"{slope(*pair):.2f}"


def exponents(rows, name, what):
    for framework in FRAMEWORKS:
        found = growth(rows, framework, name, what)
        yield f"{median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"


def most(rows, name) -> str:
    """MiB at the longest length, in both frameworks."""
    both = [
        median(row["mib"][-1] for row in rows if (row["framework"], row["name"]) == (framework, name))
        for framework in FRAMEWORKS
    ]
    return " and ".join(f"{found:,.0f}" if found >= 10 else f"{found:.1f}" for found in both)


def span(name) -> str:
    lengths = lengths_of(name)[-LAST:]
    return f"{lengths[0]:,} to {lengths[-1]:,}"


def crossing(rows, framework, name) -> str:
    """From which length on; two digits are what the measurement carries."""
    found = crossovers(rows, framework, name)
    lengths = lengths_of(name)
    middle = median(found)
    if math.isinf(middle):
        return f"not up to {lengths[-1]:,}"
    if middle <= lengths[0]:
        return f"at {lengths[0]:,} already"
    low, high = (rounded(each) if math.isfinite(each) else "none" for each in (found[0], found[-1]))
    return f"{rounded(middle)} ({low} to {high})"


def rounded(length: float) -> str:
    return f"{round(length, 1 - math.floor(math.log10(length))):,.0f}"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"written to {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
