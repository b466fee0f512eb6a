"""What layers share in PyTorch: linear maps, heads, and the skeleton of attention."""

from typing import Any, ClassVar

import numpy as np

from attn_course.frameworks import torch
from attn_course.layers.shared import (
    check_divisible,
    check_inputs,
    head_config,
    spell_config,
)
from attn_course.shapes import check_floats, check_shapes

Mask = torch.Tensor | np.ndarray | None  # the builders of ``attn_course.masks``: NumPy
Tensor = torch.Tensor
Pair = tuple[Tensor, Tensor]
PairOrNone = tuple[Tensor, Tensor | None]


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """See ``attn_course.reference.split_heads``. A view: nothing is copied."""
    shape = getattr(x, "shape", ())
    if len(shape) != 3 or num_heads < 1 or shape[2] % num_heads:
        check_divisible("x", check_shapes(x=(x, "BTD"))["D"], num_heads)
    B, T, width = shape
    return x.view(B, T, num_heads, width // num_heads).transpose(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """See ``attn_course.reference.merge_heads``."""
    if len(getattr(x, "shape", ())) != 4:
        check_shapes(x=(x, "BHTK"))
    return x.transpose(1, 2).flatten(2)


def linear(
    inputs: int,
    outputs: int,
    use_bias: bool,
    *,
    device: Any = None,
    dtype: torch.dtype | None = None,
) -> torch.nn.Linear:
    """A linear map as ``reset_linear`` draws it, and drawn only once."""
    undrawn = torch.nn.Linear(
        inputs, outputs, bias=use_bias, device="meta", dtype=dtype
    )
    made = undrawn.to_empty(device=device or torch.get_default_device())
    reset_linear(made)
    return made


@torch.no_grad()
def reset_linear(layer: torch.nn.Linear) -> None:
    """Draw the weight by Glorot's uniform rule; a bias begins with zeros."""
    # As (in, out), the layout of the formulas: a seed then gives the same matrix.
    drawn = torch.nn.init.xavier_uniform_(torch.empty_like(layer.weight.T.contiguous()))
    layer.weight.copy_(drawn.T)
    if layer.bias is not None:
        torch.nn.init.zeros_(layer.bias)


def to_mask(mask: Mask, like: torch.Tensor) -> torch.Tensor | None:
    """A mask of NumPy as a tensor, on the device of ``like``."""
    if isinstance(mask, np.ndarray):
        return torch.as_tensor(mask, device=like.device)
    return mask


class AttentionLayer(torch.nn.Module):
    """Attention over heads: project, split, attend, merge, project.

    A mechanism overrides ``attend``; see ``attn_course.layers``. ``num_kv_heads`` is
    for those that know fewer heads of key and value.

    Raises:
        ValueError: a size is not as ``attn_course.layers.shared.head_config`` says.
    """

    parity_joint = "_"  # query.weight is called query_weight in ``attn_course.parity``
    num_kv_heads: int | None = None

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int | None = None,
        value_dim: int | None = None,
        memory_dim: int | tuple[int, int] | None = None,
        use_bias: bool = True,
        dropout: float = 0.0,
        rotary: torch.nn.Module | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        widths = key_dim, value_dim, memory_dim
        self.config = head_config(model_dim, num_heads, *widths, use_bias, dropout)
        D, H, K, V, (E, F), *_ = self.config.values()
        G = self.num_kv_heads or H
        self.num_heads, self.num_kv_heads, self.rotary = H, G, rotary
        options = {"use_bias": use_bias, "device": device, "dtype": dtype}
        self.query = linear(D, H * K, **options)
        self.key = linear(E, G * K, **options)
        self.value = linear(F, G * V, **options)
        self.output = linear(H * V, D, **options)
        self.dropout = torch.nn.Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for part in (self.query, self.key, self.value, self.output):
            reset_linear(part)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor | None = None,
        value: torch.Tensor | None = None,
        mask: Mask = None,
        *,
        bias: torch.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: torch.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend from every query to the keys; without a key, to the query itself.

        Shapes:
            query (B, T, model_dim), key (B, S, memory_dim), value (B, S, memory_dim);
            key None takes the query, value None takes the key. mask boolean (T, S),
            (B, 1, 1, S), (B, 1, T, S) ..., True = may attend; bias (T, S), (H, T, S) or
            (B, H, T, S), added to the scaled scores; head_mask (H) or (B, H), scales
            each head's context; cache: keys and values so far, S counts them too
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        key = query if key is None else key
        value = key if value is None else value
        self.check(query, key, value, head_mask)
        queries = split_heads(self.query(query), self.num_heads)
        keys = split_heads(self.key(key), self.num_kv_heads)
        values = split_heads(self.value(value), self.num_kv_heads)
        if self.rotary is not None:
            place = {}
            if cache is not None:
                place["first_position"] = cache.next_position(mask)
            queries, keys = self.rotary(queries, keys, **place)
        if cache is not None:
            mask, bias = cache.limit(keys.shape[2], mask, bias)
            keys, values = cache.update(keys, values)
        options = {"bias": bias, "causal": causal, "need_weights": need_weights}
        options["dropout"] = self.dropout if self.training and self.dropout.p else None
        options |= self.gates(key)
        context, weights = self.attend(queries, keys, values, mask, **options)
        if head_mask is not None:
            context = context * head_mask.to(context.dtype)[..., None, None]
        return self.output(merge_heads(context)), weights

    def gates(self, key: torch.Tensor) -> dict[str, torch.Tensor]:
        """Further arguments of ``attend``, computed from the layer's input of keys."""
        return {}

    def attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: Mask,
        *,
        bias: torch.Tensor | None,
        causal: bool,
        need_weights: bool,
        dropout: torch.nn.Module | None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The mechanism: context (B, H, T, V), and weights (B, H, T, S) or None."""
        raise NotImplementedError

    def check(self, query: Any, key: Any, value: Any, head_mask: Any) -> None:
        """Raise ValueError unless the inputs fit the layer and each other."""
        mixed = is_mixed(self.query, query)
        check_inputs(self.config, query, key, value, head_mask, mixed=mixed)
        if not mixed and query.dtype != self.query.weight.dtype:
            check_floats(query_weight=self.query.weight, query=query)

    def extra_repr(self) -> str:
        return spell_config(self.config)


def is_mixed(layer: torch.nn.Module | None, x: Any) -> bool:
    """Whether the dtype of x may differ from that of a linear map's weight.

    Under autocast, which brings all to one dtype by itself, and where something else
    took the place of a ``torch.nn.Linear`` (quantized, low-rank adapted ...).
    """
    if layer is not None and type(layer) is not torch.nn.Linear:
        return True
    if not torch.is_tensor(x) or x.device.type == "meta":  # which knows no autocast
        return False
    return torch.is_autocast_enabled(x.device.type)


class Parts(torch.nn.Module):
    """A module made of the library's parts; ``config`` says its sizes."""

    config: ClassVar[dict[str, Any]] = {}

    def reset_parameters(self) -> None:
        """Draw all weights anew, as the library begins."""
        for part in self.children():
            part.reset_parameters()

    def extra_repr(self) -> str:
        return spell_config(self.config)


def stacked(steps):
    """What every step gave, side by side: (B, T, ...) each; None where it gave None."""
    columns = zip(*steps, strict=True)
    return tuple(None if x[0] is None else torch.stack(x, dim=1) for x in columns)
