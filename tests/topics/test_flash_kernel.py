"""The Triton kernel, forward and backward, run by Triton's interpreter on the CPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attn_course.frameworks import torch

HERE = Path(__file__).parent
ASIDE = Path(sys.prefix) / "triton"  # where the Makefile puts it: not beside TensorFlow


def run(code, **environment):
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ASIDE))))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **environment}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(sys.platform != "linux", reason="Triton exists for Linux alone")
def test_the_kernel_is_attention():
    done = run("import kernel_cases; kernel_cases.main()", TRITON_INTERPRET="1")
    assert done.returncode == 0 and done.stdout == "17 cases agree\n", done.stderr
    if torch.cuda.is_available():
        done = run("import kernel_cases; kernel_cases.main('cuda')")
        assert done.returncode == 0 and done.stdout == "17 cases agree\n", done.stderr


FAULTS = {
    "what was summed up is not rescaled": ("context = kept[:, None] * context", "context = 1.0 * context"),
    "causal is aligned at the start": ("s[None] <= t[:, None] + S - T", "s[None] <= t[:, None]"),
    "the gradient of the score lacks a term": ("(of_weights - own_dot[:, None])", "of_weights"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="Triton exists for Linux alone")
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_seen(fault, tmp_path):
    from attn_course import flash

    source = Path(flash.__file__).with_name("triton.py").read_text(encoding="utf-8")
    right, wrong = FAULTS[fault]
    assert right in source
    (tmp_path / "faulty.py").write_text(source.replace(right, wrong), encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import faulty, kernel_cases\n"
        "kernel_cases.kernel = faulty; kernel_cases.main()"
    )
    done = run(code, TRITON_INTERPRET="1")
    assert done.returncode and "roundings" in done.stderr, done.stderr
