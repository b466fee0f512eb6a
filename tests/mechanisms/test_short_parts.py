"""What a chapter shows of a part that is handed to a layer has at most 12 lines of code per framework."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import attn_course.mechanisms.parts

FOLDER = Path(attn_course.mechanisms.parts.__file__).parent
FORMULAS = {  # folder -> functions and classes that hold a formula
    "gated": {"CappedSoftmax", "OutputGate", "QueryKeyNorm", "SinkSoftmax"},
    "lengthening": {"LogLengthScale", "rotary_frequencies"},
    "positional": {"RotaryEncoding", "rotate"},
}
MOST = 12


def code_lines(function):
    """The lines that a function's body takes, without its docstring and empty lines."""
    body = function.body[ast.get_docstring(function) is not None :]
    return len({line for statement in body for line in range(statement.lineno, statement.end_lineno + 1)})


def functions(path):
    """name -> a function, or what is called of a class."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            called = [each for each in node.body if getattr(each, "name", "") in ("forward", "call")]
            if called:
                found[node.name] = called[0]
    return found


@pytest.mark.parametrize("framework", ["pytorch", "tf"])
@pytest.mark.parametrize("folder", FORMULAS)
def test_a_part_is_short(folder, framework):
    found = functions(FOLDER / folder / f"{framework}.py")
    long = {name: lines for name in FORMULAS[folder] if not 0 < (lines := code_lines(found[name])) <= MOST}
    assert long == {}


@pytest.mark.parametrize("folder", FORMULAS)
def test_a_specification_is_short(folder):
    module = import_module(f"attn_course.mechanisms.parts.{folder}.reference")
    found = functions(FOLDER / folder / "reference.py")
    assert {name: lines for name in module.__all__ if (lines := code_lines(found[name])) > MOST} == {}


@pytest.mark.parametrize("framework", ["pytorch", "tf"])
def test_no_gate_norm_or_softmax_is_left_out(framework):
    module = import_module(f"attn_course.mechanisms.parts.gated.{framework}")
    assert set(module.__all__) == FORMULAS["gated"]


def test_lines_are_counted_without_the_docstring():
    text = '''
def f(x):
    """One.

    Two.
    """
    a = 1

    return g(
        a, x
    )
'''
    assert code_lines(ast.parse(text).body[0]) == 4
