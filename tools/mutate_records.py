"""Mutated records: do a page's cells assert what it says of its runs?

For every record that a page draws, measured numbers are moved, and the page's cells that need no framework run on the
copy. One part of the record at a time (the runs of a method, of a length, of a seed, of all settings alike) goes up
and down by twice its spread over the seeds; where no cell minds, by the whole range of its column. A part is

tight   if a cell fails when it moves by twice its spread,
wide    if one fails when it moves by the range: what is said has room, or less is asserted than said,
shown   if none fails, and the page shows other numbers: nothing may be said of it.

What moves nothing on the page is not drawn, and does not count.

python tools/mutate_records.py [07 ...] [--most 8] [--seed 0]

It lists what is not tight, and writes the counts into book/mutated_records.json. What it found is kept in
_build/mutated_records, where a stopped run goes on.
"""

import argparse
import ast
import contextlib
import copy
import datetime
import hashlib
import io
import json
import os
import random
import re
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import FunctionType, ModuleType
from typing import NamedTuple

import numpy as np
from chapters import code_cells, read_source, sources, tags
from marks import NOT_RUN
from nbformat import NotebookNode
from page_rules import names
from publisher import ROOT

from attn_course import records
from attn_course.files import ending_in_one_line, write_text

TOLD = ROOT / "book" / "mutated_records.json"  # for the page of the course's state
KINDS = ("tight", "wide", "shown")
LEFT_OUT = {"tab-torch", "tab-tf", "both", "exercise", "solution", "package", *NOT_RUN}
FIGURE = re.compile("attn_course.course.plots.*(lines|bars|diagram|map|grid|image_attention|explore|live)")
WHOLE = ast.Assign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef  # statements that bind a name anew
SPREADS, SHORT = 2, 12  # a list up to so long is moved entry by entry too


class Part(NamedTuple):
    """Places in a record that are moved together: path -> (spread, range, least, most)."""

    record: str
    told: str
    moves: dict


def leaves(tree, path=()):
    """(path, value) of every leaf."""
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(value, (*path, key))
    else:
        yield path, tree


def at(tree, path):
    for step in path:
        tree = tree[step]
    return tree


def measured(record, code):
    """(column, path, settings of its row, value) of what was measured and the code names.

    What every seed of a framework has alike was set; without seeds, what is no float.
    """
    for table, rows in record.items():
        start, rows = ((table,), [rows]) if isinstance(rows, dict) else (None, rows)
        if table == "versions" or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            continue
        seeds, values = {row.get("seed") for row in rows}, defaultdict(list)
        runs = {(row.get("framework"), row.get("seed")) for row in rows}
        for row in rows:
            for path, value in leaves(row):
                values[path, row.get("framework"), row.get("seed")].append(str(value))
        for n, row in enumerate(rows):
            found = dict(leaves(row))
            for path, value in found.items():
                each = {(framework, *sorted(values[path, framework, seed])) for framework, seed in runs}
                set_alike = len(each) == len({framework for framework, *_ in each})
                number = isinstance(value, int | float) and not isinstance(value, bool) and path != ("seed",)
                found[path] = number and not (set_alike if len(seeds) > 1 else isinstance(value, int))
            of = {path[0]: row[path[0]] for path, moves in found.items() if len(path) == 1 and not moves}
            of |= {} if {"seed", "layer"} & row.keys() else {"row": n}
            for path in (path for path, moves in found.items() if moves):
                words = [step for step in path if isinstance(step, str)]
                if f'"{words[0]}"' in code or f'"{words[-1]}"' in code:
                    yield f"{table} {'.'.join(words)}", (*(start or (table, n)), *path), of, at(row, path)


def parts(name, record, code):
    """All that is moved in a record, one at a time."""
    found, keys = list(measured(record, code)), []
    columns, groups, spreads = (defaultdict(list) for _ in range(3))
    for column, path, of, value in found:
        keys.append((column, path[2:], *(item for item in of.items() if item[0] != "seed")))
        columns[column].append(value)
        groups[keys[-1]].append(value)
    for key, values in groups.items():
        spreads[key[0]] += [max(values) - min(values)] * (max(values) > min(values))
    several = {item for item, n in Counter(x for *_, of, _ in found for x in of.items()).items() if n < len(found)}
    chosen = defaultdict(dict)
    for (column, path, of, _), key in zip(found, keys, strict=True):
        values, same = columns[column], groups[key]
        usual = statistics.median(spreads[column] or [0.05 * max(map(abs, values))])
        low = 0 if min(values) >= 0 else float("-inf")
        high = 1 if low == 0 and max(values) <= 1 else float("inf")
        move = max(same) - min(same) or usual, max(values) - min(values) or usual, low, high
        own = [item for item in of.items() if item in several]
        deep = next((n for n in range(2, len(path)) if isinstance(path[n], int)), None)
        inner = [step for step in path[2:] if isinstance(step, int)]
        for named in (*((item,) for item in own), tuple(item for item in own if item[0] != "seed")):
            chosen[column, named][path] = move
            if deep and len(at(record, path[:deep])) <= SHORT:
                for n in range(len(inner)):
                    chosen[column, (*named, ("at", *inner[: n + 1]))][path] = move
    once = {tuple(moves): (column, named) for (column, named), moves in reversed(chosen.items())}
    for column, named in once.values():
        told = ", ".join(" ".join(map(str, item)) for item in named)
        yield Part(name, f"{column}: {told}", chosen[column, named])


def mutated(record, part, by):
    """A copy in which a part is moved by so many of its spreads, or by 1 or -1 of its range; None if nothing moves."""
    made = copy.deepcopy(record)
    for path, (spread, whole, low, high) in part.moves.items():
        holder, key = at(made, path[:-1]), path[-1]
        value = min(max(holder[key] + by * (whole if abs(by) == 1 else spread), low), high)
        holder[key] = round(value) if isinstance(holder[key], int) else value
    return made if made != record else None


class Statement(NamedTuple):
    """A statement of a cell, and the names that it reads, binds, makes anew."""

    program: object
    source: str
    read: set
    bound: set
    anew: set


def names_in(node, context):
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, context)}


def statement(node, number, modules=()):
    """What may be changed in place, by a call of its method or an entry set, counts as bound."""
    source, every = ast.unparse(node), [*ast.walk(node)]
    bound, read = names(NotebookNode(source=source))
    loops = set().union(*(names_in(x.target, ast.Store) for x in every if isinstance(x, ast.For)))
    given = set().union(*(names_in(x.optional_vars, ast.Store) for x in every if getattr(x, "optional_vars", None)))
    read |= bound & names_in(node, ast.Load) - loops - given | (bound if isinstance(node, ast.AugAssign) else set())
    bound -= loops if given else set()  # within a figure
    anew = bound if isinstance(node, WHOLE) else set()
    called = [x.func for x in every if isinstance(x, ast.Call) and isinstance(x.func, ast.Attribute)]
    stored = [x for x in every if isinstance(x, ast.Attribute | ast.Subscript) and isinstance(x.ctx, ast.Store)]
    changed = set().union(*(names_in(x.value, ast.Load) for x in called + stored)) - set(modules)
    shows = isinstance(node, ast.Expr)
    tree = ast.Expression(node.value) if shows else ast.Module([node], [])
    program = compile(tree, f"cell {number}", "eval" if shows else "exec")
    return Statement(program, source, read, bound | changed, anew)


def page_statements(source):
    """The statements on which a page's checks of its records rest, and those that show anything of them, each in order.

    Of the cells that need no framework, those that run without the others.
    """
    nodes, space = [], {"__name__": "page"}
    for number, cell in enumerate(code_cells(read_source(source))):
        if LEFT_OUT & set(tags(cell)):
            continue
        own = ast.parse(cell.source).body
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                run([statement(node, number) for node in own], space)
        except AssertionError:
            raise
        except Exception as error:  # it stands on what a framework gave
            print(f"{source.stem}, cell {number} is left out: {error}", file=sys.stderr)
        else:
            nodes += [(node, number) for node in own]
    modules = {name for name, value in space.items() if isinstance(value, ModuleType)}
    kept = [statement(*each, modules) for each in nodes]
    tainted, touched = set(), set()
    for number, each in enumerate(kept):
        if "load_record(" in each.source or tainted & each.read:
            tainted |= each.bound - modules
            touched.add(number)
    checks = {n for n in touched if re.search(r"^ *assert\b", kept[n].source, re.MULTILINE)}
    return with_needed(kept, checks), with_needed(kept, touched)


def with_needed(kept, chosen):
    """The chosen statements, and those before them that bind what they read, or what a function reads when called."""
    late = {name: each.read for each in kept if each.source.startswith("def ") for name in each.bound}
    needed, found = set(), []
    for number, each in reversed(list(enumerate(kept))):
        if number in chosen or needed & each.bound:
            found.append(each)
            needed, before = (needed - each.anew) | each.read, None
            while needed != before:
                before, needed = needed, needed.union(*(late.get(name, ()) for name in needed))
    return found[::-1]


def run(statements, space):
    """Run statements; returns what they show, as texts."""
    values = [eval(each.program, space) for each in statements]
    return ["" if x is None else getattr(x, "_repr_html_", x.__repr__)() or "" for x in values]


def held(figure):
    """What a drawing shows, as a text; to render it takes a second."""
    asked = "get_xydata", "get_width", "get_height", "get_array", "get_alpha", "get_text", "get_offsets"
    return str([str(getattr(x, name)()) for x in figure.findobj() for name in asked if hasattr(x, name)])


def stand_ins(instead):
    """In the package's modules: other records in place of some, in place of a figure what it would be drawn from."""
    stored = records.load_record

    def load_record(name):
        return copy.deepcopy(instead[name]) if name in instead else stored(name)

    np.set_printoptions(threshold=sys.maxsize, precision=17)
    for module in [module for name, module in sys.modules.items() if name.startswith("attn_course")]:
        for key, value in list(vars(module).items()):
            if value is stored:
                setattr(module, key, load_record)
            elif key == "picture":
                setattr(module, key, held)
            elif isinstance(value, FunctionType) and FIGURE.match(f"{value.__module__}.{key}") and key[0] != "_":
                setattr(module, key, lambda *given, **options: f"{given} {options}")


def outcome(statements, instead):
    """With other records, in a process of its own: the cell that failed, or a sum over what all of them show."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        printed = io.StringIO()
        stand_ins(instead)
        try:
            with contextlib.redirect_stdout(printed):
                texts = run(statements, {"__name__": "page"})
            said = hashlib.sha256("".join([*texts, printed.getvalue()]).encode()).hexdigest()
        except BaseException as error:  # whatever it is, the page did not take it
            frame = error.__traceback__
            while frame.tb_next and not frame.tb_frame.f_code.co_filename.startswith("cell"):
                frame = frame.tb_next
            said = f"{frame.tb_frame.f_code.co_filename}, line {frame.tb_lineno}: {type(error).__name__}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


def read_by(text):
    """The records that a page names, but those of a GPU, which it prints as they are."""
    found = sorted(path.stem for path in Path(records.__file__).parent.glob("*.json"))
    return [name for name in found if f'"{name}"' in text and not name.startswith("gpu_") and "load_record" in text]


class Page:
    """A page's statements, and what is known of its parts already."""

    def __init__(self, source):
        self.text = source.read_text(encoding="utf-8")
        self.checks, self.every = page_statements(source)
        self.shows, self.kept = outcome(self.every, {}), ROOT / "_build" / "mutated_records" / f"{source.stem}.json"
        if self.shows.startswith("cell"):
            raise ValueError(f"{source.stem}: on the records as they are, {self.shows}")
        self.known = json.loads(self.kept.read_text(encoding="utf-8")) if self.kept.exists() else {}

    def parts(self, most, seed):
        """(part, kind, what minded) for so many drawn parts of every record, chosen by the seed."""
        for name in read_by(self.text):
            record, drawn, hidden = records.load_record(name), 0, set()
            chosen = list(parts(name, record, self.text))
            for part in chosen:  # first who is not drawn at all: a method, a length
                if part.told.count(",") == 0 and not self.ask("drawn", part, record):
                    hidden |= part.moves.keys()
            random.Random(seed).shuffle(chosen)
            for part in chosen:
                if drawn < most and not hidden >= part.moves.keys() and (found := self.ask("tried", part, record)):
                    drawn += 1
                    yield part, *found

    def ask(self, what, part, record):
        """``drawn`` or ``tried``, from the file where it is known."""
        state = Path(__file__).read_text(encoding="utf-8"), [each.source for each in self.every], record
        key = f"{what} {part.record} {part.told} {hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]}"
        if key not in self.known:
            self.known[key] = getattr(self, what)(part, record)
            self.kept.parent.mkdir(parents=True, exist_ok=True)
            write_text(self.kept, json.dumps(self.known, indent=1))
        return self.known[key]

    def drawn(self, part, record):
        """Whether the page shows something else when a part moves by its range."""
        made = mutated(record, part, 1) or mutated(record, part, -1)
        return made is not None and outcome(self.every, {part.record: made}) != self.shows

    def tried(self, part, record):
        """The kind of a part, and what minded; nothing where the page shows nothing of it."""
        for by in (SPREADS, -SPREADS, 1, -1):
            made = mutated(record, part, by)
            if made and (said := outcome(self.checks, {part.record: made})).startswith("cell"):
                return KINDS[abs(by) == 1], f"{by:+d}: {said}"
        return ("shown", "") if self.drawn(part, record) else ()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="CH")
    parser.add_argument("--most", type=int, default=8, help="drawn parts of a record")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    options = parser.parse_args(arguments)
    told = json.loads(TOLD.read_text(encoding="utf-8")) if TOLD.exists() else {}
    for source in sources(ROOT, options.chapters):
        if not read_by(source.read_text(encoding="utf-8")):
            continue
        found = list(Page(source).parts(options.most, options.seed))
        counts = Counter(kind for _, kind, _ in found)
        told[source.stem] = {kind: counts[kind] for kind in KINDS} | {"date": datetime.date.today().isoformat()}
        write_text(TOLD, json.dumps(dict(sorted(told.items())), indent=1) + "\n")
        print(source.stem, *(f"{counts[kind]} {kind}" for kind in KINDS), flush=True)
        for part, kind, said in found:
            if kind != "tight":
                print(f"  {kind}: {part.record} {part.told} {said}".rstrip())


if __name__ == "__main__":
    with ending_in_one_line("what is done is kept; the same command goes on"):
        main()
