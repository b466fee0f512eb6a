"""What runs on a GPU alone: `make test-gpu`. Without one every test is skipped by name, and that is no failure."""

import sys
from pathlib import Path

import pytest
import torch._dynamo  # and Triton, which a process that has TensorFlow can't import
from both_frameworks import fresh_compiler  # noqa: F401

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "contract"), str(HERE.parent / "mechanisms")]


def pytest_collection_modifyitems(items):
    if not torch.cuda.is_available():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="PyTorch sees no CUDA device here"))


@pytest.fixture(autouse=True)
def seed(monkeypatch):
    """The same first weights in every run; recurrent layers in float32, which cuDNN else computes in TF32."""
    torch.manual_seed(0)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
