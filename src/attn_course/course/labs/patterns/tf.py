"""The model of ``attn_course.course.labs.patterns`` in TensorFlow."""

from attn_course.course.labs import patterns
from attn_course.course.labs.positions.tf import score as score, train as train
from attn_course.course.labs.tf import Model


class PatternModel(patterns.PatternModel, Model):
    pass
