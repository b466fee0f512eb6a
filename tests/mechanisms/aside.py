"""A process of its own for Triton, which must not meet TensorFlow in one."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASIDE = Path(sys.prefix) / "triton"  # where the Makefile puts it


def run(code, **environment):
    """What a program did that may import what stands here, the experiments and Triton."""
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ASIDE), str(HERE.parents[1]))))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **environment}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, check=False)
