"""TensorFlow imported before us, with oneDNN on, in a process of its own: ``one_dnn.py`` says why."""

import os
import subprocess
import sys
from pathlib import Path


def test_no_layer_corrupts_memory_where_one_dnn_is_on():
    command = [sys.executable, Path(__file__).with_name("one_dnn.py")]
    environment = os.environ | {"TF_ENABLE_ONEDNN_OPTS": "1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-3000:]
    assert "layers agree" in done.stdout
