"""Who may import whom, seen in a fresh interpreter; and twins with the same signatures."""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import both_frameworks  # noqa: F401
import pytest

import attn_course
from attn_course.frameworks import torch

SOURCE = Path(attn_course.__file__).parent
TWINS = sorted({path.parent for path in SOURCE.rglob("tf.py")})


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def module_of(path):
    return ".".join(("attn_course", *path.relative_to(SOURCE).with_suffix("").parts))


def test_the_package_imports_no_framework():
    free = [
        "attn_course",
        *(f"attn_course.{name}" for name in ("masks", "core.shapes", "catalog", "parity", "reference")),
    ]
    free += ["attn_course.exercises", "attn_course.tasks.dates", "attn_course.notebook", "attn_course.course.labs"]
    code = "\n".join(f"import {name}" for name in free)
    done = run(f"{code}\nimport sys; assert not {{'torch', 'tensorflow', 'keras'}} & set(sys.modules)")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("face", "other"), [("pytorch", ("tensorflow", "keras")), ("tf", ("torch",))])
def test_a_face_imports_one_framework(face, other):
    modules = [module_of(folder / f"{face}.py") for folder in TWINS]
    code = "\n".join(f"import {name}" for name in modules)
    done = run(f"{code}\nimport sys; assert not set({other!r}) & set(sys.modules)")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("folder", TWINS, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_twins_have_the_same_signatures(folder):
    in_torch, in_tf = (importlib.import_module(module_of(folder / f"{name}.py")) for name in ("pytorch", "tf"))
    for name, item in vars(in_torch).items():
        if name.startswith("_") or getattr(item, "__module__", "").startswith("attn_course") is False:
            continue
        twin = getattr(in_tf, name, None)
        if twin is None:  # a helper that one framework alone needs, never a public name
            assert name not in getattr(in_torch, "__all__", ()), name
            continue
        if twin is item:  # a part without a framework, which both import
            continue
        if inspect.isclass(item):
            assert signature(item.__init__) == signature(twin.__init__), name
            if getattr(item, "forward", None) not in (None, torch.nn.Module.forward):  # a cache, a base: no layer
                assert signature(item.forward) == signature(twin.call), name
        elif inspect.isfunction(item):
            assert signature(item) == signature(twin), name


def signature(function):
    """Parameters without what one has alone: Keras options, masks, training, strategy; PyTorch devices."""
    parameters = inspect.signature(function).parameters.values()
    alone = ("options", "memory_mask", "training", "strategy", "device", "dtype", "seed")
    return [(p.name, p.kind, p.default) for p in parameters if p.name not in alone]
