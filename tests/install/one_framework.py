"""A plugin for pytest: the tests of one framework where the other is not installed.

    ATTN_COURSE_WITHOUT=torch python -m pytest -p one_framework -k tf ...

The tests import both. Here a stand-in takes the place of the one that is missing: whatever is asked of it is there, and
nothing is computed with it, so only tests of the other framework may be chosen.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import types

MISSING = {"torch": ("torch",), "tf": ("tensorflow", "keras")}


class Kind(type):
    """Any attribute of a stand-in is a stand-in; `X | None` in a signature is one too."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything

    def __iter__(cls):
        return iter(())

    def __or__(cls, other):
        return cls

    __ror__ = __or__


class Anything(metaclass=Kind):
    """A class, a function or a decorator."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *given, **_):
        decorates = len(given) == 1 and (isinstance(given[0], type) or callable(given[0]))
        return given[0] if decorates else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class StandIn(types.ModuleType):
    """A module that has every name."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name.partition(".")[0] in self.names else None

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        if module.__name__ == "torch":
            module.is_tensor = lambda _: False
        if module.__name__ == "keras":
            module.backend = types.SimpleNamespace(backend=lambda: "tensorflow")


if missing := os.environ.get("ATTN_COURSE_WITHOUT"):
    sys.meta_path.insert(0, Finder(MISSING[missing]))
