"""The model of ``attn_course.course.labs.patterns`` in PyTorch."""

from attn_course.course.labs import patterns
from attn_course.course.labs.positions.pytorch import score, train
from attn_course.course.labs.pytorch import Model

__all__ = ["PatternModel", "score", "train"]


class PatternModel(patterns.PatternModel, Model):
    pass
