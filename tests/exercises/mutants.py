"""Wrong answers made by a machine: small changes of a solution's syntax tree, and of what it returns."""

import ast
import copy
import itertools
import sys

import numpy as np

from attn_course.exercises.engine.exercise import unsafe_softmax
from attn_course.exercises.engine.sources import source_of

SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Add,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.Eq: ast.NotEq,
    ast.USub: ast.UAdd,
}


def _changes(node, names):
    """Other nodes that may stand in this node's place."""
    operator = getattr(node, "op", None)
    if type(operator) in SWAPS:
        yield _with(node, op=SWAPS[type(operator)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield _with(node, ops=[SWAPS[type(node.ops[0])]()])
    if isinstance(node, ast.BinOp):
        yield node.left
        yield node.right
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(-node.value if node.value else -1)
    if isinstance(node, ast.Call):
        if node.args:
            yield node.args[0]
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            yield node.func.value
        if len(node.args) == 3:
            yield _with(node, args=[node.args[0], node.args[2], node.args[1]])
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for other in names:
            if other != node.id:
                yield ast.Name(other, ast.Load())


def _with(node, **fields):
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


class _Replace(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else self.generic_visit(node)


def mutants(solution):
    """(what the function says now, the function) for every small change of the solution."""
    tree = ast.parse(source_of(solution))
    names = [each.arg for each in tree.body[0].args.args]
    found = set()
    for node in list(ast.walk(tree)):
        for new in list(_changes(node, names)):
            text = ast.unparse(_Replace(node, new).visit(tree))
            _Replace(new, node).visit(tree)
            if text not in found:
                found.add(text)
                namespace = {**solution.__globals__, "unsafe_softmax": unsafe_softmax}
                try:
                    exec(compile(text, "<mutant>", "exec"), namespace)
                except SyntaxError:
                    continue
                yield text, namespace[solution.__name__]


def _first_for_ever(solution):
    kept = []

    def answer(*given):
        kept.append(solution(*given))
        return kept[0]

    return answer


def _in_place(solution):
    def answer(*given):
        result = solution(*given)
        for array in given:
            if isinstance(array, np.ndarray) and array.size:
                array.flat[0] = array.flat[0] + 1 if array.dtype != bool else ~array.flat[0]
        return result

    return answer


def spoiled(solution, cases):
    """name -> the solution with something done to what it returns or to what it gets."""
    arguments = cases[0].arguments
    first = solution(*arguments)
    if isinstance(first, tuple):
        return _spoiled_parts(solution, first)

    def then(change):
        return lambda *given: change(np.asarray(solution(*given)))

    result = np.asarray(first)
    ways = {
        "the first result for ever": _first_for_ever(solution),
        "leaves Python": lambda *given: sys.exit(0),
        "nothing": lambda *given: None,
        "text": lambda *given: "done",
        "an object": lambda *given: object(),
        "two results": lambda *given: (solution(*given), 0),
        "another axis": then(lambda x: x[None]),
        "negated": then(np.logical_not if result.dtype == bool else np.negative),
        "zeros": then(np.zeros_like),
        "complex": then(lambda x: x.astype(complex)),
    }
    if any(isinstance(each, np.ndarray) for each in arguments):
        ways["in place"] = _in_place(solution)
    if result.dtype.kind == "f":
        ways["one part in 10,000 too large"] = then(lambda x: x * 1.0001)
        ways["two decimals"] = then(lambda x: x.round(2))
        ways["float16"] = then(lambda x: x.astype(np.float16))
        ways["not a number"] = then(lambda x: x * np.nan)
        if any((np.asarray(solution(*case.arguments)) == 0).any() for case in cases):
            ways["not a number in place of 0"] = then(lambda x: np.where(x == 0, np.nan, x))
    if result.ndim:
        ways["squeezed"] = then(np.squeeze)
        ways["flat"] = then(np.ravel)
        ways["backwards"] = then(lambda x: x[::-1])
        ways["the first row for all"] = then(lambda x: np.broadcast_to(x[:1], x.shape))
        ways["sorted"] = then(np.sort)
        ways["one row too few"] = then(lambda x: x[:-1])
    if result.ndim > 1:
        ways["transposed"] = then(lambda x: x.swapaxes(-1, -2))
    for one, other in itertools.combinations(range(len(arguments)), 2):
        ways[f"arguments {one + 1} and {other + 1} exchanged"] = _exchanged(solution, one, other)
    return ways


def _spoiled_parts(solution, results):
    """One of several results, as another dtype, without its values, or missing."""

    def then(place, change):
        def answer(*given):
            found = list(solution(*given))
            found[place] = change(np.asarray(found[place]))
            return tuple(found)

        return answer

    changes = {"complex": lambda x: x.astype(complex), "zeros": np.zeros_like, "another axis": lambda x: x[None]}
    ways = {"one result too few": lambda *given: solution(*given)[:-1]}
    for place, (words, change) in itertools.product(range(len(results)), changes.items()):
        ways[f"result {place + 1}: {words}"] = then(place, change)
    return ways


def _exchanged(solution, one, other):
    def answer(*given):
        given = list(given)
        given[one], given[other] = given[other], given[one]
        return solution(*given)

    return answer
