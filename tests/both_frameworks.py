"""Both frameworks, for tests that use either: torch before TensorFlow (the other order can crash), one thread each.

A test module that imports a framework, or what imports one, begins with ``import both_frameworks``; where all modules
of a folder do, its conftest does it for them. Nothing else waits for these seconds.
"""

import sys
import warnings

import pytest

if "tensorflow" in sys.modules and "torch" not in sys.modules:
    raise ImportError("TensorFlow is here before PyTorch: what imported it must `import both_frameworks` first")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what the libraries warn about while they are imported is not ours
    from attn_course.frameworks import torch  # isort: skip
    from attn_course.frameworks import keras, tf  # noqa: F401

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def fresh_compiler():
    """What PyTorch's compiler learned in one test, such as sizes that change, must not help or hurt the next."""
    yield
    if "torch._dynamo" in sys.modules:
        torch.compiler.reset()


@pytest.fixture(autouse=True)
def first_weights():
    """A layer's first weights are drawn: the same in every run of a module that takes this in."""
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)
