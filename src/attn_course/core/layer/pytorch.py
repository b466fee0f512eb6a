"""What layers share in PyTorch: linear maps, heads, and the skeleton of attention.

Begin with ``AttentionLayer.walk``; ``src/attn_course/README.md`` goes on.
"""

import copy
from collections.abc import Callable
from typing import Any, ClassVar, Self

from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.pytorch import KVCache
from attn_course.core.layer.shared import (
    ELSEWHERE,
    cache_in_blocks,
    check_divisible,
    check_inputs,
    check_keywords,
    check_names,
    check_parts,
    check_ring,
    check_rolled,
    spell_config,
    whole_signature,
)
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.masks.pytorch import Mask
from attn_course.core.shapes import check_floats, check_scores, check_shapes

Tensor = torch.Tensor
Pair = tuple[Tensor, Tensor]
PairOrNone = tuple[Tensor, Tensor | None]


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """See ``attn_course.reference.split_heads``. A view: nothing is copied."""
    shape = getattr(x, "shape", ())
    if len(shape) != 3 or num_heads < 1 or shape[2] % num_heads:
        check_divisible("x", check_shapes(x=(x, "BTD"))["D"], num_heads)
    return split(x, num_heads)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """See ``attn_course.reference.merge_heads``."""
    if len(getattr(x, "shape", ())) != 4:
        check_shapes(x=(x, "BHTK"))
    return merge(x)


def make_linear(
    inputs: int,
    outputs: int,
    use_bias: bool,
    *,
    device: Any = None,
    dtype: torch.dtype | None = None,
) -> torch.nn.Linear:
    """A linear map as ``reset_linear`` draws it, and drawn only once."""
    made = torch.nn.Linear(inputs, outputs, bias=use_bias, device="meta", dtype=dtype)
    device = device or torch.get_default_device()
    for name, undrawn in list(made.named_parameters()):
        number = torch.empty_like(undrawn, device=device, requires_grad=False)
        setattr(made, name, torch.nn.Parameter(number))
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


class RMSNorm(torch.nn.RMSNorm):
    """The library's; under autocast it takes what the layer before it gives."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (..., X) divided by its root mean square, times the scale."""
        own = x if self.weight is None else self.weight
        return super().forward(x.to(own.dtype)).to(x.dtype)


class Module(torch.nn.Module):
    """A module whose class shows all its options, and is blamed for unknown ones."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__signature__ = whole_signature(cls)  # for help, editors and completion

    def __new__(cls, *sizes: Any, **options: Any) -> Self:
        check_keywords(cls, options)
        return super().__new__(cls)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        if ELSEWHERE.keys() & options:
            check_names(self.forward, type(self).__name__, options)
        return super().__call__(*inputs, **options)


class AttentionLayer(Module):
    """Attention over heads; ``walk`` is the whole way, a step a line.

    A mechanism overrides ``attend``, and rarely another step; its own sizes stand in a
    ``HeadSizes`` of its own. What is done before the cache or after the context is a
    part handed to the constructor, so that every mechanism can have it:

        scale           of the scores: where ``own_scale``; None is 1 / sqrt(key_dim)
        value_norm      epsilon of a norm of each head's values, which has no scale
        rotary          (query, key, *, first_position) -> (query, key)
        query_key_norm  (query, key) -> (query, key), before rotary
        softmax         (score (B, H, ..., S), mask) -> weights: where ``own_softmax``
        output_gate     (context (B, H, T, V), query's input (B, T, D)) -> context

    Raises:
        ValueError: a size is not as ``attn_course.core.layer.sizes.HeadSizes`` says.
    """

    Sizes = HeadSizes
    parity_joint = "_"  # query.weight is called query_weight in ``attn_course.parity``
    shared_key = False  # whether ``key`` is not made: a subclass says what it is
    can_drop = True  # whether there are weights that dropout could drop
    grouped = False  # whether ``attend`` takes fewer heads of key and value
    own_softmax = False  # whether ``attend`` takes another softmax
    own_scale = False  # whether ``attend`` takes another scale of the scores
    reads_memory = True  # whether key and value may come from elsewhere
    reads_positions = False  # whether ``attend`` asks where query and key stand
    mask_rows = True  # whether a query may have a row; None: or documents be numbered
    gates: Callable | None = None  # (memory) -> more arguments of ``attend``
    refused: ClassVar[tuple[str, ...]] = ()  # the options below that it has no use for

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        key_dim: int | None = None,
        value_dim: int | None = None,
        memory_dim: int | tuple[int, int] | None = None,
        use_bias: bool = True,
        dropout: float = 0.0,
        scale: float | None = None,
        value_norm: float | None = None,
        rotary: torch.nn.Module | None = None,
        query_key_norm: torch.nn.Module | None = None,
        softmax: torch.nn.Module | None = None,
        output_gate: torch.nn.Module | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
        own: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        heads = num_heads, num_kv_heads, key_dim, value_dim
        rest = memory_dim, use_bias, dropout, scale, value_norm
        sizes = self.Sizes.of(model_dim, *heads, *rest, own)
        check_parts(type(self), sizes, softmax, query_key_norm, rotary)
        self.sizes, self.config = sizes, sizes.config()
        self.num_heads, self.num_kv_heads = sizes.num_heads, sizes.num_kv_heads
        self.repeats = 1 if self.grouped else self.num_heads // self.num_kv_heads
        self.make_maps(device=device, dtype=dtype)
        self.dropout = torch.nn.Dropout(dropout)
        self.rotary, self.query_key_norm = rotary, query_key_norm
        self.softmax, self.output_gate = softmax, output_gate

    def make_maps(self, **place: Any) -> None:
        """The linear maps, by the sizes."""
        sizes, options = self.sizes, {"use_bias": self.sizes.use_bias, **place}
        key_width, value_width = sizes.memory_dim
        H, G, K, V = sizes.num_heads, sizes.num_kv_heads, sizes.key_dim, sizes.value_dim
        self.query = make_linear(sizes.model_dim, H * K, **options)
        if not self.shared_key:
            self.key = make_linear(key_width, G * K, **options)
        self.value = make_linear(value_width, G * V, **options)
        self.output = make_linear(H * V, sizes.model_dim, **options)

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
            -> output (B, T, model_dim), weights (B, H, T, S): None without
            ``need_weights``, and from a layer that never forms them, as it says.
            A mask that is padding, as the class says, is (B, 1, 1, S), without a bias.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        key = query if key is None else key
        value = key if value is None else value
        inputs = query, key, value
        how = {"bias": bias, "causal": causal, "need_weights": need_weights}
        return self.walk(*inputs, mask, head_mask=head_mask, cache=cache, **how)

    def walk(self, query, key, value, mask, *, bias, head_mask, cache, **how):
        """All steps, one a line; what is not there is passed by."""
        self.check(query, key, value, head_mask)
        q, k, v = self.project(query, key, value)
        if cache is None:
            q, k = self.prepare(q, k)
        else:
            q, k = self.prepare(q, k, **self.position(cache, mask))
            k, v, mask, bias = self.remember(cache, k, v, mask, bias)
        if self.repeats > 1:
            k, v = (x.repeat_interleave(self.repeats, 1) for x in (k, v))
        if self.own_softmax:
            check_scores(q, k, mask, bias, rows=self.mask_rows)
        how |= self.options(key)
        attend = getattr(cache, "attend", self.attend)  # of one that holds many texts
        context, weights = attend(q, k, v, mask, bias=bias, **how)
        if self.output_gate is not None:
            context = self.output_gate(context, query)
        if head_mask is not None:
            context = context * head_mask.to(context.dtype)[..., None, None]
        return self.output(merge(context)), weights

    def project(self, query, key, value):
        """Linear maps, cut into heads: (B, H, T, K), (B, G, S, K), (B, G, S, V)."""
        q, k, v = self.query(query), self.key(key), self.value(value)
        # As many as the maps give: where devices share the heads, each has some.
        H, G = (x.shape[-1] // self.sizes.key_dim for x in (q, k))
        value = split(v, G)
        if self.sizes.value_norm is not None:
            value = self.normed(value)
        return split(q, H), split(k, G), value

    def normed(self, value):
        """The values (B, G, S, V), each at a root mean square of 1."""
        epsilon = self.sizes.value_norm
        normed = torch.nn.functional.rms_norm(value, value.shape[-1:], eps=epsilon)
        return normed.to(value.dtype)

    def prepare(self, query, key, **position):
        """What is done to query and key before the cache: norm, then positions."""
        if self.query_key_norm is not None:
            query, key = self.query_key_norm(query, key)
        if self.rotary is not None:
            query, key = self.rotary(query, key, **position)
        return query, key

    def remember(self, cache, key, value, mask, bias):
        """All keys and values so far, and mask and bias for them."""
        check_ring(self, cache)
        mask, bias = cache.limit(key.shape[2], mask, bias)
        return *cache.update(key, value), mask, bias

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

    def options(self, memory):
        """The arguments of ``attend`` that are the layer's, not the call's."""
        at_work = self.training and self.dropout.p
        options = {"dropout": self.dropout if at_work else None}
        if self.sizes.scale is not None:
            options["scale"] = self.sizes.scale
        if self.softmax is not None:
            options["softmax"] = self.softmax
        if self.gates is not None:
            options |= self.gates(memory)
        return options

    def position(self, cache, mask):
        """Where the first new key stands, for positions behind a cache."""
        check_rolled(mask)
        if self.rotary is None:
            return {}
        return {"first_position": cache.next_position(mask)}

    def check(self, query: Any, key: Any, value: Any, head_mask: Any) -> None:
        """Raise ValueError unless the inputs fit the layer and each other."""
        mixed = is_mixed(self.query, query)
        check_inputs(self.sizes, query, key, value, head_mask, mixed=mixed)
        if not mixed and query.dtype != self.query.weight.dtype:
            check_floats(query_weight=self.query.weight, query=query)

    def like(self) -> torch.Tensor:
        """An empty tensor of the layer's dtype and place, whatever was quantized."""
        own = (x for x in self.parameters() if x.is_floating_point())
        first = next(own, torch.empty(0))
        return torch.empty(0, dtype=first.dtype, device=first.device)

    def new_cache(
        self, batch: int, capacity: int | None, *, pool: Any = None, **options: Any
    ) -> KVCache:
        """An empty cache for ``cache=``, in the dtype and place of the parameters.

        options: those of ``KVCache``; pool: a ``BlockPool`` that it takes blocks from.
        """
        if pool is not None:
            return cache_in_blocks(pool, self.sizes, batch, capacity, options)
        G, K, V = self.sizes.kept
        like = self.like()
        place = {"dtype": like.dtype, "device": like.device}
        return KVCache(batch, G, capacity, K, V, **place | options)

    def reset_parameters(self) -> None:
        """Draw all weights anew, those of the parts too."""
        for part in self.children():
            if isinstance(part, torch.nn.Linear):
                reset_linear(part)
            elif hasattr(part, "reset_parameters"):
                part.reset_parameters()

    def extra_repr(self) -> str:
        return spell_config(self.config)


def matrix_of(layer: torch.nn.Module, inputs: int, like: torch.Tensor) -> torch.Tensor:
    """The matrix of a linear map without bias, (in, out), in the dtype of ``like``.

    What took the place of a plain ``torch.nn.Linear`` or of its weight, or changes what
    it gives (an adapter, a quantized map, a parametrization, a hook), is not passed by:
    it is asked what it makes of an identity.
    """
    if is_plain(layer, torch.nn.Linear):
        return layer.weight.to(like.dtype).mT
    identity = torch.eye(inputs, dtype=like.dtype, device=like.device)
    return layer(identity).to(like.dtype)


def is_plain(layer: torch.nn.Module, kind: type) -> bool:
    """Whether a call of a linear layer is a product with its weight, and nothing else.

    With ``torch.nn.Embedding`` as kind: whether a call takes rows of its weight.
    """
    hooks = layer._forward_hooks, layer._forward_pre_hooks
    hooks += layer._backward_hooks, layer._backward_pre_hooks
    own_call = "forward" in vars(layer)
    if type(layer) is not kind or any(hooks) or own_call:
        return False
    # A tensor that wraps others, as quantized ones do, may know no more than a product.
    return not hasattr(layer.weight, "__tensor_flatten__")


def copies(layer: AttentionLayer, *names: str) -> dict[str, Any]:
    """Parts of a layer for another one: rotary itself, of others a copy."""
    parts = {name: copy.deepcopy(getattr(layer, name)) for name in names}
    return {"rotary": layer.rotary} | parts


def split(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, T, H*K) -> (B, H, T, K), a view: head h is the h-th block of columns."""
    B, T, width = x.shape  # not -1: it may be empty
    return x.view(B, T, num_heads, width // num_heads).transpose(1, 2)


def merge(x: torch.Tensor) -> torch.Tensor:
    """(B, H, T, K) -> (B, T, H*K): the inverse of ``split``."""
    return x.transpose(1, 2).flatten(2)


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


def plain(like: torch.Tensor) -> torch.autocast:
    """Without autocast, which would narrow products of what is in float32."""
    kind = like.device.type if like.device.type != "meta" else "cpu"
    return torch.autocast(kind, enabled=False)


def is_transformed() -> bool:
    """Whether ``torch.func`` is at work; PyTorch's fused kernel has no forward mode."""
    if torch.compiler.is_compiling():
        return False
    return torch._C._are_functorch_transforms_active()


class Parts(Module):
    """A module made of the library's parts; ``config`` says its sizes."""

    config: ClassVar[dict[str, Any]] = {}

    def reset_parameters(self) -> None:
        """Draw all weights anew, as the library begins."""
        for part in self.children():
            for x in part if isinstance(part, torch.nn.ModuleList) else [part]:
                if hasattr(x, "reset_parameters"):
                    x.reset_parameters()

    def extra_repr(self) -> str:
        return spell_config(self.config)


def stacked(steps):
    """What every step gave, side by side: (B, T, ...) each; None where it gave None."""
    columns = zip(*steps, strict=True)
    return tuple(None if x[0] is None else torch.stack(x, dim=1) for x in columns)
