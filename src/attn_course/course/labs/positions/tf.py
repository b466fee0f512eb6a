"""The models of ``attn_course.course.labs.positions`` in TensorFlow."""

from functools import partial

from attn_course.course.labs import positions
from attn_course.course.labs.tf import Model
from attn_course.course.training import tf as loop

train, score = (partial(each, loop) for each in (positions.train, positions.score))


class Blocks(positions.Blocks, Model):
    pass


class TokenModel(positions.TokenModel, Model):
    make_blocks = Blocks


class PatchModel(positions.PatchModel, Model):
    make_blocks = Blocks
