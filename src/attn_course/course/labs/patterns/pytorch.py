"""The model of ``attn_course.course.labs.patterns`` in PyTorch."""

from attn_course.course.labs import patterns
from attn_course.course.labs.positions.pytorch import score as score, train as train
from attn_course.course.labs.pytorch import Model


class PatternModel(patterns.PatternModel, Model):
    pass
