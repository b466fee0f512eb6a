"""The model of ``attn_course.course.labs.patterns`` in TensorFlow."""

from attn_course.course.labs import patterns
from attn_course.course.labs.positions.tf import score, train
from attn_course.course.labs.tf import Model

__all__ = ["PatternModel", "score", "train"]


class PatternModel(patterns.PatternModel, Model):
    pass
