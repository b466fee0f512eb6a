"""The models of ``attn_course.course.labs.positions`` in PyTorch."""

from functools import partial

from attn_course.core.frameworks import torch
from attn_course.course.labs import positions
from attn_course.course.labs.pytorch import Model
from attn_course.course.training import pytorch as loop

train, score = (partial(each, loop) for each in (positions.train, positions.score))


class Blocks(positions.Blocks, Model):
    def make_encoder(self, *sizes, **options):
        """The trainings on record began with networks as torch.nn.Linear draws them."""
        with torch.random.fork_rng(devices=[]):  # these draws are not kept
            encoder = super().make_encoder(*sizes, **options)
        for layer in encoder.layers:
            layer.attention.reset_parameters()
            layer.feed_forward.inner.reset_parameters()
            layer.feed_forward.outer.reset_parameters()
        return encoder


class TokenModel(positions.TokenModel, Model):
    make_blocks = Blocks


class PatchModel(positions.PatchModel, Model):
    make_blocks = Blocks
