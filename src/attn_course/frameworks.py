"""The frameworks: the public path of ``attn_course.core.frameworks``."""

from attn_course.core import frameworks
from attn_course.core.frameworks import (
    install_command as install_command,
    repository_url as repository_url,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import keras as keras
    import tensorflow as tf  # noqa: F401
    import torch as torch


def __getattr__(name):
    return getattr(frameworks, name)
