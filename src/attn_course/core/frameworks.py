"""The frameworks, imported with one clear error each when something is missing.

Files that need a framework write ``from attn_course.core.frameworks import torch`` (or
``keras, tf``): it is the very object that ``import torch`` gives, imported at that
moment and not before.
"""

import importlib
import os
from typing import TYPE_CHECKING

from attn_course.core.publisher import (
    install_command as install_command,
    repository_url as repository_url,
)

if TYPE_CHECKING:
    import keras as keras
    import tensorflow as tf  # noqa: F401
    import torch as torch


def _load(module, extra):
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # When it is there, but one of its own parts is missing, that is what to say.
        if error.name != module:
            raise
        raise ModuleNotFoundError(
            f"this part of attn_course needs {module}, which is not installed: "
            f"{install_command(extra)}",
            name=module,
        ) from error


def _load_keras():
    backend = os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    if backend != "tensorflow":
        raise ImportError(
            "attn_course's layers need Keras on TensorFlow, "
            f"but KERAS_BACKEND is {backend!r}: "
            "set KERAS_BACKEND=tensorflow, or unset it, before Python starts"
        )
    # TensorFlow's start-up notes would end up in the output of every first cell.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    # Both frameworks may share one GPU: TensorFlow must not take all of its memory.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    _load("tensorflow", "tf")
    keras = _load("keras", "tf")
    backend = keras.backend.backend()
    if backend != "tensorflow":
        raise ImportError(
            "attn_course's layers need Keras on TensorFlow, "
            f"but Keras was imported on {backend!r}: "
            "set KERAS_BACKEND=tensorflow before the first import of keras"
        )
    return keras


def __getattr__(name):
    if name == "torch":
        return _load("torch", "torch")
    if name == "keras":
        return _load_keras()
    if name == "tf":
        _load_keras()
        return _load("tensorflow", "tf")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
