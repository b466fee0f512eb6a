"""The Triton kernels as a GPU runs them; every layer in three dtypes, with gradients, and compiled."""

import aside
import devices
import pytest
from cases import CASES

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
WHOLE = pytest.mark.parametrize("case", [c for c in CASES if not c.cell], ids=lambda case: case.name)


@pytest.mark.parametrize(("cases", "count"), [("kernel_cases", 17), ("split_kernel_cases", 52)])
def test_the_kernel_is_attention(cases, count):
    done = aside.run(f"import {cases}; {cases}.main('cuda')")
    assert done.returncode == 0 and done.stdout == f"{count} cases agree\n", done.stderr


@EACH
@pytest.mark.parametrize("dtype", devices.CLOSE)
def test_agrees_with_the_reference(case, dtype):
    devices.agrees("cuda", case, dtype)


@EACH
def test_gradients(case):
    devices.has_gradients("cuda", case)


@WHOLE
@pytest.mark.filterwarnings("ignore")  # the compiler's own: that TF32 would be faster
def test_compiled(case):
    devices.compiles("cuda", case)
