"""What the labs' models are made of in PyTorch; ``labs.tf`` has the same names.

A lab says once what its model holds (``__init__``) and what it gives (``call``), in a
class without a base, by what ``Model`` has; each framework adds its own base::

    class Reader(pronoun.Reader, Model):
        ...
"""

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as training


class Model(torch.nn.Module):
    """The library's model, with its face, its training loop, and parts of models."""

    framework, library, face, loop = "pytorch", torch, pytorch, training
    tensor = staticmethod(torch.from_numpy)
    linear, norm = staticmethod(torch.nn.Linear), staticmethod(torch.nn.LayerNorm)
    mean, listed = staticmethod(torch.mean), staticmethod(torch.nn.ModuleList)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.forward = cls.call

    def length(self, x):
        """How many positions a tensor (B, T, ...) has."""
        return x.shape[1]

    def table(self, rows, width):
        """A vector for each token, normal numbers of variance 1."""
        return torch.nn.Embedding(rows, width)
