"""The public surface: catalog, names and cases name each other; types are written everywhere, and read by a checker."""

import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import UnionType
from typing import get_args

import pytest
from cases import CASES, FACES, PARTS

from attn_course import pytorch, reference, tf
from attn_course.catalog import CATALOG

CALLS = {"pytorch": "forward", "tf": "call"}
ROOT = Path(__file__).parents[2]
NAMES = [(face, name) for face in (reference, pytorch, tf) for name in face.__all__]


def test_every_row_has_a_case_and_every_class_too():
    cases = {case.name: case for case in CASES}
    for row in CATALOG:
        assert row.name in cases, "each row of catalog.py needs a Case in tests/contract/cases.py"
        assert cases[row.name].layer == row.layer
    covered = {name for case in CASES for name in (case.name, case.layer)}
    for module in FACES.values():
        others = set(module.__all__) - covered
        assert others == PARTS.keys(), "each public class needs a Case, each other name a place in PARTS of cases.py"
    for name, place in PARTS.items():
        assert name in (ROOT / place).read_text()


def untyped(function):
    """The parameters without a type, or of any text where a choice is a Literal; "return" if that has none."""
    named = inspect.signature(function).parameters.items()
    kinds = {name: p.annotation for name, p in named if name not in ("self", "prefix")}
    texts = [name for name, kind in kinds.items() if isinstance(kind, UnionType) and str in get_args(kind)]
    found = texts + [name for name, kind in kinds.items() if kind in (inspect.Parameter.empty, str)]
    needs_result = inspect.signature(function).return_annotation is inspect.Signature.empty
    return found + ["return"] * needs_result


@pytest.mark.parametrize(("face", "name"), NAMES, ids=lambda x: getattr(x, "__name__", x))
def test_every_public_name_is_typed(face, name):
    item = getattr(face, name)
    functions = [item]
    if inspect.isclass(item):
        names = (
            CALLS[face.__name__.rpartition(".")[2]],
            "update",
            "new_cache",
            "step",
        )  # of a layer, a cache, a pool, an engine
        call = next(getattr(item, own) for own in names if hasattr(item, own))
        functions = [item.__init__, call]
    assert not [(function.__qualname__, untyped(function)) for function in functions if untyped(function)]


PROGRAM = """\
import {module}
import attn_course.{face} as attn
x = {module}.zeros((2, 5, 12))
layer = attn.MultiHeadAttention(12, 3)
attn.MultiHeadAttention(12, heads=3)
attn.scaled_dot_product_attention(x, x, x, scal=1.0)
reveal_type(attn.scaled_dot_product_attention(x, x, x))
reveal_type(layer.{call}(x))
attn.EncoderLayer(12, 3, 24, norm="bad")
attn.LanguageModel(9, 2, 12, 3, 24, positions="bad")
attn.RotaryEncoding(4, layout="bad")
attn.LuongAttention(4, 4, score="bad")
attn.LocalAttention(4, 4, half_width=2, alignment="bad")
attn.LinearAttention(12, 3, feature_map="bad")
attn.LinearAttention(12, 3, decay="columns")
attn.DeltaRuleAttention(12, 3, decay="bad")
attn.PerformerAttention(12, 3, features="bad")
attn.LinformerAttention(12, 3, length=8, rank=2, sharing="bad")
attn.StridedAttention(12, 3, stride=2, heads="bad")
attn.FeatureMapAttention(4, key_dim=2, value_dim=2, data_format="bad")
attn.QuantizedKVCache(2, 3, 9, 4, kind="bad")
attn.QuantizedKVCache(2, 3, 9, 4, key_per="bad")
attn.rotate(x, [0], layout="bad")
attn.change_layout(x, to="bad")
attn.linear_attention(x, x, x, feature_map="bad")
attn.image_to_tokens(x, data_format="bad")
attn.rotary_frequencies(4, method="bad")
attn.to_grouped(layer, 1, method="bad")
attn.DeltaRuleAttention(12, 3, decay="columns")
attn.LinearAttention(12, 3, feature_map=abs)
"""


@pytest.mark.parametrize(("face", "module"), [("pytorch", "torch"), ("tf", "tensorflow")])
def test_a_type_checker_finds_wrong_arguments_and_knows_results(tmp_path, face, module):
    (tmp_path / "program.py").write_text(PROGRAM.format(face=face, module=module, call=CALLS[face]))
    checker = Path(sys.executable).with_name("basedpyright")
    command = [checker, "--outputjson", "--pythonpath", sys.executable, "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {(one["range"]["start"]["line"] + 1, one["rule"]) for one in found if one["severity"] == "error"}
    choices = {(line, "reportArgumentType") for line in range(9, 29)}  # so an editor offers the right ones
    assert errors == {(5, "reportCallIssue"), (6, "reportCallIssue"), *choices}, found
    told = [one["message"] for one in found if one["severity"] == "information"]
    assert len(told) == 2 and all('"tuple[Tensor, Tensor | None]"' in message for message in told), told
