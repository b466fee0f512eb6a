"""The Triton kernel of keys in parts, run by Triton's interpreter on the CPU, and compiled for four GPUs."""

import sys
from pathlib import Path

import pytest
from aside import run

from attn_course.core import split_keys

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Triton exists for Linux alone")


def test_the_kernel_is_attention():
    """All of triton.py: widths, groups, orders in memory, masks, rows and parts that see nothing."""
    done = run("import split_kernel_cases; split_kernel_cases.main()", TRITON_INTERPRET="1")
    assert done.returncode == 0 and done.stdout == "52 cases agree\n", done.stderr


FAULTS = {
    "what was summed up is not rescaled": ("found = kept[:, None] * found", "found = found"),
    "a part reads into the next": ("end = tl.minimum(S, (part + 1) * size)", "end = tl.minimum(S, (part + 2) * size)"),
    "parts are merged without their maxima": ("logarithm = (top + tl.log2(summed))", "logarithm = (tl.log2(summed))"),
    "the mask of another head": ("b * mask_b + g * mask_g", "b * mask_b"),
    "the last columns of the keys are left out": ("if E > 0:\n            at", "if E > 999:\n            at"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_seen(fault, tmp_path):
    source = Path(split_keys.__file__).with_name("triton.py").read_text(encoding="utf-8")
    right, wrong = FAULTS[fault]
    assert source.count(right) == 1
    (tmp_path / "faulty.py").write_text(source.replace(right, wrong), encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import faulty, split_kernel_cases\n"
        "split_kernel_cases.kernel = faulty; split_kernel_cases.main()"
    )
    done = run(code, TRITON_INTERPRET="1")
    assert done.returncode and "roundings" in done.stderr, done.stderr


def test_the_kernel_starts_on_every_gpu_from_ampere_on():
    """What triton.compile makes: shared memory is there, little is spilled, and products run on tensor cores."""
    done = run("import split_kernel_cases; split_kernel_cases.compiled()")
    assert done.returncode == 0 and done.stdout.count("\n") == 11, done.stderr
