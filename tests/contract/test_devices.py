"""What `make test-gpu` asks of a GPU, asked of the CPU; and what it says where there is no GPU."""

import os
import subprocess
import sys
from pathlib import Path

import devices
import pytest
from cases import CASES
from support import caught

from attn_course.frameworks import torch

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
NAMED = {case.name: case for case in CASES}
ROOT = Path(__file__).resolve().parents[2]


@EACH
@pytest.mark.parametrize("dtype", devices.CLOSE)
def test_agrees(case, dtype):
    devices.agrees("cpu", case, dtype)


@EACH
def test_has_gradients(case):
    devices.has_gradients("cpu", case)


@pytest.mark.parametrize("check", [devices.has_gradients, lambda *given: devices.agrees(*given, "float32")])
def test_a_device_that_computes_otherwise_is_seen(check, monkeypatch):
    """On the device alone, not where it is compared with: there float64 is computed in."""
    right = torch.nn.functional.linear
    wrong = lambda x, *given: right(x, *given) * (1.01 if x.dtype == torch.float32 else 1.0)  # noqa: E731
    monkeypatch.setattr(torch.nn.functional, "linear", wrong)
    caught(check, "cpu", NAMED["multi_head_attention"])


def test_without_a_gpu_each_is_skipped_by_name():
    """The command of `make test-gpu`, in a subprocess that is shown no GPU."""
    command = [sys.executable, "-m", "pytest", "-v", "tests/gpu"]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PyTorch sees no CUDA device here" in done.stdout
    skipped = [line for line in done.stdout.splitlines() if "test_gpu.py::" in line and " SKIPPED" in line]
    assert sum("::test_the_kernel_is_attention" in line for line in skipped) == 2
    whole = sum(not case.cell for case in CASES)
    assert sum("::test_compiled" in line for line in skipped) == whole
    assert len(skipped) == 2 + whole + (len(devices.CLOSE) + 1) * len(CASES)
    assert "passed" not in done.stdout.splitlines()[-1]
