"""The catalog, the public names and the cases of the contract name each other."""

from pathlib import Path

from cases import CASES, FACES, PARTS

from attn_course.catalog import CATALOG

ROOT = Path(__file__).parents[2]


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
