"""The door to the frameworks: each thing that can be missing gives one clear error that names the mend."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import both_frameworks  # noqa: F401
import pytest

from attn_course.core import frameworks, publisher

PYPROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
BLOCK = """\
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""


def last_line(code, **environment):
    """The last line on stderr of a fresh interpreter that must fail."""
    clean = {key: value for key, value in os.environ.items() if key != "KERAS_BACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**clean, **environment}, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_install_command_is_built_from_the_repository_url(monkeypatch):
    """A copy that has no address yet is installed from its folder."""
    monkeypatch.setattr(publisher, "repository_url", lambda: "https://github.com/OWNER/attn_course")
    assert frameworks.install_command("tf") == 'pip install ".[tf]" in the folder of your copy of the course'
    monkeypatch.setattr(publisher, "repository_url", lambda: "https://github.com/an-org/course")
    for extra in ("torch", "tf", "all"):
        command = frameworks.install_command(extra)
        assert command == f'pip install "attn-course[{extra}] @ git+https://github.com/an-org/course"'
        # The package is on no index: a name alone, an index or another host would install something else.
        assert not re.search(r"pypi|--index|--extra-index|install attn", command)


def test_every_extra_of_the_command_exists():
    source = Path(frameworks.__file__).read_text(encoding="utf-8")
    used = set(re.findall(r'_load\("\w+", "(\w+)"\)', source))
    assert used and used <= set(PYPROJECT["project"]["optional-dependencies"])


@pytest.mark.parametrize(
    ("line", "names", "missing", "extra"),
    [
        ("from attn_course.frameworks import torch", ["torch"], "torch", "torch"),
        ("from attn_course.frameworks import tf", ["tensorflow"], "tensorflow", "tf"),
        ("from attn_course.frameworks import keras", ["tensorflow"], "tensorflow", "tf"),
        ("from attn_course.frameworks import keras", ["keras", "tensorflow"], "tensorflow", "tf"),
        ("import attn_course.pytorch", ["torch"], "torch", "torch"),
        ("import attn_course.tf", ["tensorflow"], "tensorflow", "tf"),
        ("import attn_course.mechanisms.dot_product.pytorch", ["torch"], "torch", "torch"),
        ("import attn_course.mechanisms.dot_product.tf", ["tensorflow"], "tensorflow", "tf"),
    ],
)
def test_a_missing_framework_names_the_mend(line, names, missing, extra):
    found = last_line(BLOCK.format(names=names) + line)
    assert found == (
        f"ModuleNotFoundError: this part of attn_course needs {missing}, which is not installed: "
        f"{frameworks.install_command(extra)}"
    )


def test_a_missing_part_of_a_framework_is_not_called_a_missing_framework():
    """Torch is there and one of its own modules is not: that module must be named, not torch."""
    found = last_line(BLOCK.format(names=["typing_extensions"]) + "from attn_course.frameworks import torch")
    assert "typing_extensions" in found and "pip install" not in found


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_another_backend_in_the_environment(backend):
    found = last_line("import attn_course.tf", KERAS_BACKEND=backend)
    assert found.startswith("ImportError: ") and f"KERAS_BACKEND is {backend!r}" in found
    assert "set KERAS_BACKEND=tensorflow" in found


def test_keras_already_imported_on_another_backend():
    """As in a notebook that has used Keras before; a stand-in, since importing Keras on another one is slow."""
    code = """\
import sys, types
for name in ("keras", "tensorflow"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["keras"].backend = types.SimpleNamespace(backend=lambda: "jax")
from attn_course.frameworks import keras
"""
    found = last_line(code)
    assert found.startswith("ImportError: ") and "imported on 'jax'" in found
    assert "set KERAS_BACKEND=tensorflow before the first import of keras" in found


def test_the_very_modules():
    from attn_course.frameworks import keras, tf, torch

    assert torch is sys.modules["torch"] and tf is sys.modules["tensorflow"] and keras is sys.modules["keras"]


def test_an_unknown_framework_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'jax'"):
        _ = frameworks.jax


def test_no_repository_is_said(monkeypatch):
    class Metadata:
        def get_all(self, name, default):
            return ["Homepage, https://example.org"]

    monkeypatch.setattr(frameworks.importlib.metadata, "metadata", lambda name: Metadata())
    with pytest.raises(RuntimeError, match="names no Repository"):
        frameworks.repository_url()
