"""Layers of Hugging Face's models in PyTorch, as ``__init__.py`` says."""

from attn_course.core.frameworks import torch
from attn_course.core.parity import set_parameters
from attn_course.mechanisms.differential.pytorch import DifferentialAttention
from attn_course.mechanisms.grouped_query.pytorch import GroupedQueryAttention
from attn_course.mechanisms.indexed.pytorch import IndexedAttention
from attn_course.mechanisms.latent.pytorch import LatentAttention
from attn_course.mechanisms.multi_head.pytorch import MultiHeadAttention
from attn_course.mechanisms.parts.gated.pytorch import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.pytorch import LogLengthScale
from attn_course.mechanisms.parts.positional.pytorch import RotaryEncoding
from attn_course.mechanisms.window.pytorch import SlidingWindowAttention
from attn_course.models.encoder.pytorch import EncoderLayer
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


def from_huggingface(module: torch.nn.Module) -> torch.nn.Module:
    """One of our layers with the weights of a layer of ``transformers``.

    See ``attn_course.models.huggingface`` for the models, and how each is called.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    recipe = read_huggingface(module)
    parts = {name: KINDS[kind](**own) for name, (kind, own) in recipe.parts.items()}
    layer = KINDS[recipe.kind](**recipe.options, **parts)
    if recipe.layer is not None:
        layer = EncoderLayer(**recipe.layer, attention=layer)
    like = next(iter(module.state_dict().values()))
    layer = layer.to(device=like.device, dtype=like.dtype)
    set_parameters(layer, recipe.parameters)
    return layer.train(module.training)
