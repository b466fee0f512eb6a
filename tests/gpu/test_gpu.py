"""The Triton kernel as a GPU runs it, and every layer in three dtypes, with gradients."""

import aside
import devices
import pytest
from cases import CASES

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_the_kernel_is_attention():
    done = aside.run("import kernel_cases; kernel_cases.main('cuda')")
    assert done.returncode == 0 and done.stdout == "17 cases agree\n", done.stderr


@EACH
@pytest.mark.parametrize("dtype", devices.CLOSE)
def test_agrees_with_the_reference(case, dtype):
    devices.agrees("cuda", case, dtype)


@EACH
def test_gradients(case):
    devices.has_gradients("cuda", case)
