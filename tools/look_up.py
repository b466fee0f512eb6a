"""The card "Look it up" of a page: its cells run after the page's first cell, without what stands between."""

from __future__ import annotations

import builtins
import re
import symtable

from chapter_rules import MAGIC
from chapters import code_cells
from marks import FRAMEWORKS, tags
from nbformat import NotebookNode


def card_cells(notebook: NotebookNode, framework: str) -> list[NotebookNode]:
    """The cells of the card that somebody runs who has this framework alone."""
    found, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"(?m)^## (.*)", cell.source):
                inside = heading.startswith("Look it up:")
        elif inside and not {"both", *(f"tab-{other}" for other in FRAMEWORKS if other != framework)} & set(tags(cell)):
            found.append(cell)
    return found


def names(cell: NotebookNode) -> tuple[set[str], set[str]]:
    """The global names that a cell binds, and those that it reads without binding them."""
    bound, read, tables = set(), set(), [symtable.symtable(MAGIC.sub(r"\1pass", cell.source), "cell", "exec")]
    for table in tables:  # it grows: functions, classes and comprehensions have tables of their own
        tables += table.get_children()
        for symbol in table.get_symbols():
            top = table.get_type() == "module"
            if top and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
            elif symbol.is_referenced() and (top or symbol.is_global()):
                read.add(symbol.get_name())
    return bound, read - bound


def card_faults(notebook: NotebookNode) -> list[str]:
    """Names that the card reads and neither it nor the page's first cell binds."""
    faults = []
    for framework in FRAMEWORKS:
        known = {*dir(builtins), *names(code_cells(notebook)[0])[0]}
        for cell in card_cells(notebook, framework):
            bound, read = names(cell)
            if missing := sorted(read - known):
                first = cell.source.splitlines()[0][:40]
                faults.append(f"the card's cell {first!r} uses {', '.join(missing)}, bound outside the card")
            known |= bound
    return list(dict.fromkeys(faults))
