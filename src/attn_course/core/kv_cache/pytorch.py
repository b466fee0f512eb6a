"""The cache of keys and values in PyTorch; see ``attn_course.core.kv_cache``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.shared import (
    cache_slots,
    check_chunk,
    check_columns,
    check_truncate,
    gap_refused,
    gradient_refused,
    is_half,
    overflow,
)
from attn_course.core.masks.pytorch import Mask, to_mask

__all__ = ["KVCache"]


class KVCache:
    """The keys and values of all positions so far, in memory that is taken once.

    With ``window`` it keeps the last ``window`` positions and the first ``sinks``.

    It is for inference: what it holds has no gradient. Decode under ``torch.no_grad()``
    or ``inference_mode()``, train without a cache; a backward pass that reaches the
    keys and values of an ``update`` raises ValueError (in compiled code, which can't
    look, they count as constants).

    Compiled, a cache is an argument of the function, never a global or captured one:
    ``length`` is a number of Python, which ``torch.compile`` takes for a constant there
    and compiles anew at every token.

        @torch.compile(fullgraph=True)
        def step(layer, x, cache):
            return layer(x, causal=True, need_weights=False, cache=cache)[0]

    Half precision in a wider cache is kept exactly and comes back as it came, as under
    autocast; autocast takes any dtype.

    Shapes:
        ``update(key (B, G, T, K), value (B, G, T, V))`` -> (B, G, S, K), (B, G, S, V),
        S positions so far or, with a window, those that a query of the chunk may see.

    Raises:
        ValueError: a size, shape or dtype is wrong, the cache is full, or a gradient is
            asked of what it holds.
    """

    masks_rows = True  # False where the layer's pattern has the same window

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int | None,
        key_dim: int,
        value_dim: int | None = None,
        *,
        dtype: torch.dtype | None = None,
        device: Any = None,
        window: int | None = None,
        sinks: int = 0,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        self.sizes = batch, num_kv_heads, key_dim, value_dim
        slots = cache_slots(
            batch, num_kv_heads, capacity, key_dim, value_dim, window, sinks
        )
        self.capacity, self.window, self.sinks = capacity, window, sinks
        place = {"dtype": dtype, "device": device}
        self.key, self.value = self.memory(slots, **place)
        self.length = 0

    def memory(self, slots: int, **place: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Zeros for so many positions: (B, G, slots, K) and (B, G, slots, V)."""
        *lead, key_dim, value_dim = self.sizes
        widths = key_dim, value_dim
        return tuple(torch.zeros(*lead, slots, width, **place) for width in widths)

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""
        return self.key.nbytes + self.value.nbytes

    def take(self, rows: torch.Tensor) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        self.key, self.value = self.key[rows], self.value[rows]

    def reset(self) -> None:
        """Forget everything; the memory stays."""
        self.length = 0

    def truncate(self, length: int) -> None:
        """Go back to the first ``length`` positions; a ring of a window can't."""
        check_truncate(length, self.length, self.window)
        self.length = length

    def update(
        self, key: torch.Tensor, value: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write a chunk behind what is there; return what its queries may see."""
        with torch.no_grad():
            seen = self.write(*self.extend(key, value), key, value)
        key_seen, value_seen = (x.to(key.dtype) for x in seen)
        return without_gradient(key_seen, key), without_gradient(value_seen, value)

    def write(self, start, end, key, value):
        """Put the chunk start .. end - 1 in its place; what its queries may see."""
        key, value = key.to(self.key.dtype), value.to(self.value.dtype)
        if self.window is None:
            self.key[:, :, start:end] = key
            self.value[:, :, start:end] = value
            return self.key[:, :, :end], self.value[:, :, :end]
        past = self.slots(self.kept(0, start, start - self.window + 1))
        new = self.kept(start, end, end - self.window)
        seen = []
        for store, chunk in ((self.key, key), (self.value, value)):
            seen.append(torch.cat([store[:, :, past], chunk], dim=2))
            store[:, :, self.slots(new)] = chunk[:, :, new - start]
        return tuple(seen)

    def limit(
        self, T: int, mask: Mask = None, bias: torch.Tensor | None = None
    ) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Mask and bias, over all keys so far, for what ``update`` will return.

        T is the number of positions in the chunk. Without a window they stay.
        """
        mask = to_mask(mask, self.key)
        start, end = self.length, self.length + T
        check_columns(end, mask=mask, bias=bias)
        if self.window is None:
            return mask, bias
        query = torch.arange(start, end, device=self.key.device)
        key = torch.cat([self.kept(0, start, start - self.window + 1), query])
        mask, bias = columns(mask, key), columns(bias, key)
        if self.masks_rows and T > 1:  # a single query sees all that is kept
            near = (key > query[:, None] - self.window) | (key < self.sinks)
            mask = near if mask is None else mask & near
        return mask, bias

    def next_position(self, mask: Mask = None) -> int:
        """Where the next chunk begins, for a rotary encoding.

        Raises:
            ValueError: padding (B, 1, 1, S) blocks keys between others, so that their
                positions are not those of the text. Compiled code can't look.
        """
        mask = to_mask(mask, self.key)
        looks = mask is not None and not torch.compiler.is_compiling()
        if looks and mask.ndim == 4 and mask.shape[1:3] == (1, 1):
            ended = (mask[..., :-1] & ~mask[..., 1:]).cumsum(-1) > 0
            if (ended & mask[..., 1:]).any():
                raise gap_refused()
        return self.length

    def extend(self, key, value):
        """The first position of a chunk and the one behind it, after checks."""
        wider = is_half(key) and not is_half(self.key)
        mixed = wider or torch.is_autocast_enabled(self.key.device.type)
        check_chunk(self.key, self.sizes, key, value, mixed=mixed)
        start, T = self.length, key.shape[2]
        if self.capacity is not None and start + T > self.capacity:
            raise ValueError(overflow(start, T, self.capacity))
        self.length = start + T
        return start, start + T

    def kept(self, first, last, oldest):
        """The positions first .. last - 1 that are sinks, or not before oldest."""
        sinks = max(first, min(self.sinks, last))
        parts = (first, sinks), (max(sinks, oldest), last)
        return torch.cat([torch.arange(*x, device=self.key.device) for x in parts])

    def slots(self, positions):
        """Where positions stand: sinks first, then round and round."""
        ring = self.sinks + (positions - self.sinks) % self.window
        return torch.where(positions < self.sinks, positions, ring)


class WithoutGradient(torch.autograd.Function):
    """What a cache holds of a chunk, whose gradient it would not hand on."""

    @staticmethod
    def forward(ctx, seen, chunk):
        return seen.clone()  # the cache's own memory is written to again

    @staticmethod
    def backward(ctx, gradient):
        raise gradient_refused()


def without_gradient(seen, chunk):
    """The same tensor; where the chunk has a gradient, one that refuses to have it."""
    has = torch.is_grad_enabled() and chunk.requires_grad
    if not has or torch.compiler.is_compiling():
        return seen
    return WithoutGradient.apply(seen, chunk)


def columns(x, key):
    """The columns of a mask or bias for these keys; one column serves all."""
    return x if x is None or x.shape[-1] == 1 else x[..., key]
