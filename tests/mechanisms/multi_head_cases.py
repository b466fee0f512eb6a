"""What the tests of multi-head attention share: sizes, options, layers and programs."""

import numpy as np
import pytest
from support import numbers, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.masks import padding_mask
from attn_course.parity import get_parameters, set_parameters

B, T, S, H, K, V, D, E, F = 3, 5, 7, 2, 11, 13, 17, 19, 23
SIZES = {"model_dim": D, "num_heads": H, "key_dim": K, "value_dim": V, "memory_dim": (E, F)}
PADDING = padding_mask([7, 4, 0], S)[:, None, None]  # the last row may see nothing
RNG = np.random.default_rng(7)
ROWS = RNG.random((B, H, T, S)) < 0.6  # each head and query its own share
BIAS = RNG.normal(size=(H, T, S))
SHARE = np.array([0.5, -2.0])
OPTIONS = {
    "a bias for each head": {"bias": BIAS},
    "head mask a row an example": {"head_mask": np.arange(B * H).reshape(B, H) / 5},
    "head mask of bools": {"head_mask": np.array([True, False])},
    "everything": {"mask": ROWS, "causal": True, "bias": BIAS, "head_mask": SHARE},
}
EACH_OPTION = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def inputs(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in ((B, T, D), (B, S, E), (B, S, F))]


def layer(face, parameters=None, dtype="float64", **changes):
    """A layer with drawn parameters, biases too; ``changes`` of its sizes."""
    sizes = {**SIZES, **changes}
    if face is tf:
        built = tf.MultiHeadAttention(**sizes, dtype=dtype)
    else:
        built = pytorch.MultiHeadAttention(**sizes).to(getattr(torch, dtype))
    if parameters is None:
        rng = np.random.default_rng(3)
        parameters = {name: rng.normal(size=x.shape) / 3 for name, x in sorted(get_parameters(built).items())}
    set_parameters(built, parameters)
    return built


PARAMETERS = get_parameters(layer(pytorch))


def run(face, item, arrays, **options):
    """A layer, or the specification where item is a dict of parameters and sizes."""
    converted = dict(zip(options, to(face, *options.values()), strict=True))
    return item(*to(face, *arrays), **converted)


def specification(parameters=PARAMETERS, num_heads=H, attend=reference.multi_head_attention_at_once, **more):
    named = {"parameters": parameters, "num_heads": num_heads, **more}
    return lambda *arrays, **options: attend(*arrays, **named, **options)


def program(name, parameters=PARAMETERS, num_heads=H, **changes):
    """One of the four as a function from NumPy to NumPy."""
    if name == "reference":
        return specification(parameters, num_heads, reference.multi_head_attention)
    if name == "at once":
        return specification(parameters, num_heads)
    face = {"pytorch": pytorch, "tf": tf}[name]
    built = layer(face, parameters, num_heads=num_heads, **changes)
    return lambda *arrays, **options: [numbers(x) for x in run(face, built, arrays, **options)]
