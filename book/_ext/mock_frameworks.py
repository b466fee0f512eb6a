"""Stand-ins for torch, tensorflow and keras while the package's pages are written: reading the signatures and
docstrings needs none of the three, and importing them would take longer than all the rest.

`autodoc_mock_imports` alone is not enough: attn_course.frameworks asks Keras which backend it runs on, and a
mocked decorator would hide the layer that it registers.
"""

import sys
import types
from typing import Any

from sphinx.ext import autodoc
from sphinx.ext.autodoc.mock import _MockModule, _MockObject


def setup(app):
    # Types are written with |, such as `torch.Tensor | None`.
    _MockObject.__or__ = _MockObject.__ror__ = lambda self, other: Any
    for name in ("torch", "tensorflow", "keras"):
        sys.modules.setdefault(name, _MockModule(name))
    keras = sys.modules["keras"]
    if isinstance(keras, _MockModule):
        keras.backend = types.SimpleNamespace(backend=lambda: "tensorflow")
        keras.saving = types.SimpleNamespace(register_keras_serializable=lambda *_, **__: lambda layer: layer)
    # A layer's arguments are those of its own __init__, not those of the stand-in that it inherits from.
    autodoc._CLASS_NEW_BLACKLIST.append("sphinx.ext.autodoc.mock._MockObject.__new__")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
