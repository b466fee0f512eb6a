"""Texts of solutions: files in cells, starters cut from them, lines changed in them.

A file in cells is Python, cut at ``# %%``, as editors and Jupytext cut it.
"""

import ast
import inspect
import re
import textwrap
import warnings
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

_CELL = re.compile(r"^# %%[ ]?(.*(?:\n# .*)*)\n", re.MULTILINE)
_MARK = re.compile(r"^( *)\.\.\.  # .*\n", re.MULTILINE)


def cells(text):
    """The text before the first cell, and [(title, code)] of the cells."""
    first, *rest = _CELL.split(text)
    titles = [" ".join(title.replace("\n# ", " ").split()) for title in rest[::2]]
    codes = [code.strip("\n") + "\n" for code in rest[1::2]]
    return first, list(zip(titles, codes, strict=True))


def without_marks(code):
    """The solution: the marks ``...  # comment`` are the starter's."""
    return _MARK.sub("", code)


def starter_of(code):
    """The starter: what follows a mark in its block is left out."""
    kept, inside = [], None
    for line in code.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        if inside is not None and (not line.strip() or indent >= inside):
            kept += [line] if not line.strip() else []
            continue
        inside = indent if _MARK.fullmatch(line) else None
        kept.append(line)
    return "".join(kept).rstrip("\n") + "\n"


@lru_cache
def source_of(function):
    """The function's source, as a page shows it."""
    if hasattr(function, "source"):  # read from a file of the bank
        return function.source
    return textwrap.dedent(inspect.getsource(function))


@lru_cache(maxsize=8192)
def compiled(function, source):
    """The function of another source, with this one's names; None if it is none."""
    namespace = dict(function.__globals__)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(source, f"<edited {function.__name__}>", "exec")
    except SyntaxError:
        return None
    exec(code, namespace)
    return namespace[function.__name__]


def _targets(node):
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return tuple(ast.unparse(each) for each in targets if each is not None)


def _has_body(node):
    return isinstance(getattr(node, "body", None), list)


def span_of(node, text):
    """Where the statement stands in the text; its header alone where it has a body."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    begin = starts[node.lineno - 1] + node.col_offset
    if _has_body(node):
        end = starts[node.body[0].lineno - 1]
        return begin, begin + len(text[begin:end].rstrip())
    return begin, starts[node.end_lineno - 1] + node.end_col_offset


def changed(solution, code):
    """The solution with the lines of ``code`` in the places of its own.

    Each line replaces the one that assigns the same name, or has the same kind, and
    looks most like it; ``...`` as the body of a ``for`` or ``def`` keeps the body.

    Raises:
        ValueError: the solution has no such line.
    """
    old, edits = (
        [x for x in ast.walk(ast.parse(solution)) if isinstance(x, ast.stmt)],
        [],
    )
    for node in ast.parse(code).body:
        if _has_body(node) and ast.unparse(node.body[-1]) != "...":
            raise ValueError(f"a body that isn't kept: {ast.unparse(node)}")
        begin, end = span_of(node, code)
        own = _most_alike(node, code[begin:end], old, solution)
        old.remove(own)
        indent = "\n" + " " * own.col_offset
        edits.append((*span_of(own, solution), code[begin:end].replace("\n", indent)))
    for begin, end, text in sorted(edits, reverse=True):
        solution = solution[:begin] + text + solution[end:]
    return solution


def _most_alike(node, text, old, solution):
    def rank(each):
        own = solution[slice(*span_of(each, solution))]
        alike = SequenceMatcher(None, own, text).ratio()
        return _targets(each) == _targets(node), alike

    ranked = sorted((each for each in old if type(each) is type(node)), key=rank)
    if not ranked:
        raise ValueError(f"the solution has no line like {text!r}")
    return ranked[-1]


def _words(text):
    return re.findall(r"\w+|\s+|.", text)


def _pieces(old, new):
    one, two = _words(old), _words(new)
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    return {
        (begin, end, "".join(two[first:last]))
        for tag, begin, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    }


def merged(old, *texts):
    """``old`` with the changes of several texts; None where two change one place."""
    pieces = sorted(set().union(*(_pieces(old, text) for text in texts)))
    for one, two in pairwise(pieces):
        if two[0] < one[1] or two[:2] == one[:2]:
            return None
    words = _words(old)
    for begin, end, text in reversed(pieces):
        words[begin:end] = [text]
    return "".join(words)
