"""The planted faults still fit the package: each text stands once, and what must see it is there."""

import pytest
from planted import FAULTS, ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_can_be_planted(fault):
    text = (ROOT / "src" / "attn_course" / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.right) == 1 and fault.wrong != fault.right
    assert (ROOT / fault.tests.split()[0]).exists()


def test_there_are_many_and_each_has_a_name():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 50
