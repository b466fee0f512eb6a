"""Layers of Hugging Face's models in TensorFlow, as ``__init__.py`` says."""

from typing import Any

from attn_course.core.frameworks import keras
from attn_course.core.parity import set_parameters
from attn_course.mechanisms.differential.tf import DifferentialAttention
from attn_course.mechanisms.grouped_query.tf import GroupedQueryAttention
from attn_course.mechanisms.indexed.tf import IndexedAttention
from attn_course.mechanisms.latent.tf import LatentAttention
from attn_course.mechanisms.multi_head.tf import MultiHeadAttention
from attn_course.mechanisms.parts.gated.tf import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.tf import LogLengthScale
from attn_course.mechanisms.parts.positional.tf import RotaryEncoding
from attn_course.mechanisms.window.tf import SlidingWindowAttention
from attn_course.models.encoder.tf import EncoderLayer
from attn_course.models.huggingface.shared import read_huggingface

__all__ = ["from_huggingface"]

KINDS = {
    kind.__name__: kind
    for kind in (
        CappedSoftmax,
        DifferentialAttention,
        GroupedQueryAttention,
        IndexedAttention,
        LatentAttention,
        LogLengthScale,
        MultiHeadAttention,
        OutputGate,
        QueryKeyNorm,
        RotaryEncoding,
        SinkSoftmax,
        SlidingWindowAttention,
    )
}


def from_huggingface(module: Any) -> keras.layers.Layer:
    """One of our layers with the weights of a layer of ``transformers``.

    See ``attn_course.models.huggingface`` for the models, and how each is called.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    recipe = read_huggingface(module)
    dtype = {"dtype": next(iter(recipe.parameters.values())).dtype.name}
    parts = {
        name: KINDS[kind](**own, **dtype) for name, (kind, own) in recipe.parts.items()
    }
    layer = KINDS[recipe.kind](**recipe.options, **parts, **dtype)
    if recipe.layer is not None:
        layer = EncoderLayer(**recipe.layer, attention=layer, **dtype)
    set_parameters(layer, recipe.parameters)
    return layer
