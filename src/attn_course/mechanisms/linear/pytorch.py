"""Linear attention in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.pytorch import check_gates, hide, log_of, sum_up, widen
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, make_linear, merge, plain
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.linear.shared import (
    FIRST_DECAY_BIAS,
    Decay,
    FeatureMap,
    LinearSizes,
    State,
    StateCache,
    check_feature_map,
    check_linear,
    check_padding,
    check_reading,
    check_step,
    parts_of,
    retention_decay,
)

__all__ = [
    "LinearAttention",
    "linear_attention",
    "linear_attention_step",
    "retention_decay",
]


def linear_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Any = None,
    *,
    feature_map: FeatureMap | Callable = "elu",
    causal: bool = False,
    decay: torch.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
    chunk_size: int = 128,
) -> tuple[torch.Tensor, None]:
    """See ``attn_course.reference.linear_attention``.

    Computed in float32 or more, in time and memory that grow as S; causal in chunks of
    ``chunk_size``: inside a chunk by its own small weights, before it by the state.
    """
    check_feature_map(feature_map)
    check_at_least(1, chunk_size=chunk_size)
    check_linear(query, key, value, mask, decay=decay, numbers=causal)
    check_gates(decay=decay)
    if decay is not None and not causal:
        raise ValueError("decay must be None where causal is False")
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = widen(features(query, feature_map), features(key, feature_map))
    log_decay = None if decay is None else log_of(decay, key)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
    with plain(value):
        sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    output = sums / (total + epsilon) if normalize else sums
    return output.to(dtype), None


def features(x, feature_map):
    """The features of x (..., K): (..., F)."""
    if callable(feature_map):
        return feature_map(x)
    if feature_map == "elu":
        return torch.nn.functional.elu(x) + 1
    return torch.relu(x) if feature_map == "relu" else x


def linear_attention_step(
    state: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    feature_map: FeatureMap | Callable = "elu",
    decay: torch.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
) -> tuple[torch.Tensor, Any]:
    """See ``attn_course.reference.linear_attention_step``; the state is wide."""
    check_feature_map(feature_map)
    check_step(query, key, value, decay=decay)
    check_gates(decay=decay)
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = features(query, feature_map), features(key, feature_map)
    sums, total = key.mT * value, key[..., 0, :]
    if state is not None:
        kept = 1.0 if decay is None else decay.to(key.dtype)[..., None]
        sums = sums + kept * state[0]
        total = total + (kept if decay is None else kept[..., 0]) * state[1]
    output = query @ sums
    if normalize:
        output = output / (query @ total[..., None] + epsilon)
    return output.to(dtype), (sums, total)


class Stateful:
    """A layer whose cache is the state that its ``new_state`` and ``step`` have."""

    def new_cache(self, batch: int, capacity: int | None, **options: Any) -> StateCache:
        """The state for ``cache=``, whatever the capacity; of no window, no sinks."""
        refused = {name: options.get(name) for name in ("window", "sinks", "pool")}
        check_supported(type(self).__name__, **refused)
        return StateCache(self.new_state(batch), torch.Tensor.__getitem__)

    def read(self, x, mask, cache):
        """The positions one by one; what the mask blocks leaves the state as it is."""
        T, outputs = x.shape[1], []
        if mask is not None:
            check_padding(mask, (x.shape[0], 1, T, cache.length + T))
            mask = to_mask(mask, x)[..., -T:]
        for t in range(T):
            output, state = self.step(x[:, t : t + 1], cache.state)
            if mask is not None:
                memory = self.kept(state.memory, cache.state.memory, mask[..., t])
                state = State(memory, state.length)
            cache.state = state
            outputs.append(output)
        return torch.cat(outputs, dim=1)

    def kept(self, memory, before, seen):
        """The memory, and in a row that may not see its new position that before."""
        found = [
            torch.where(seen.reshape(-1, *[1] * (x.ndim - 1)), x, old)
            for x, old in zip(parts_of(memory), parts_of(before), strict=True)
        ]
        return tuple(found) if isinstance(memory, tuple) else found[0]


class DecayingAttention(Stateful, AttentionLayer):
    """What ``LinearAttention`` and ``DeltaRuleAttention`` share: the decay of a state.

    decay: None, "fixed" (``retention_decay``), or "learned": of every key and head the
    sigmoid of a linear map of the key's input; "columns": of each column of a key too.
    """

    can_drop = False
    mask_rows = None

    def __init__(self, model_dim: int, num_heads: int, **options: Any) -> None:
        super().__init__(model_dim, num_heads, **options)
        self.decay = None
        if self.sizes.learned:
            self.decay = self.gate(width=self.sizes.learned)

    def gate(self, bias: float = FIRST_DECAY_BIAS, width: int = 1) -> torch.nn.Linear:
        """A linear map of the keys' input, width numbers a head; it begins at bias."""
        weight, inputs = self.query.weight, self.sizes.memory_dim[0]
        where = {"device": weight.device, "dtype": weight.dtype}
        made = make_linear(inputs, self.num_heads * width, True, **where)
        torch.nn.init.constant_(made.bias, bias)
        return made

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        super().reset_parameters()
        if self.decay is not None:
            torch.nn.init.constant_(self.decay.bias, FIRST_DECAY_BIAS)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor | None = None,
        value: torch.Tensor | None = None,
        mask: Any = None,
        *,
        bias: torch.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: torch.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[torch.Tensor, None]:
        """As in ``AttentionLayer``; the cache of ``new_cache`` holds the state.

        With that it is called with one input and ``causal=True``; in a graph of
        TensorFlow use ``step``.
        """
        if not isinstance(cache, StateCache):
            options = {"bias": bias, "causal": causal, "need_weights": need_weights}
            options |= {"head_mask": head_mask, "cache": cache}
            return super().forward(query, key, value, mask, **options)
        key = query if key is None else key
        value = key if value is None else value
        inputs = query, key, value, causal
        refused = {"bias": bias, "head_mask": head_mask}
        check_reading(type(self).__name__, *inputs, **refused)
        return self.read(query, mask, cache), None

    def step(self, x: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        """One position after those of the state: what a causal call gives there.

        Shapes:
            x (B, 1, model_dim); state of ``new_state``, or of the step before
            -> output (B, 1, model_dim), state.

        Raises:
            ValueError: x is not as above.
        """
        self.check(x, x, x, None)
        first = {} if self.rotary is None else {"first_position": state.length}
        query, key, value = self.project(x, x, x)
        query, key = self.prepare(query, key, **first)
        if self.repeats > 1:
            key, value = (x.repeat_interleave(self.repeats, 1) for x in (key, value))
        inputs = query, key, value
        context, memory = self.remembering(state.memory, *inputs, **self.gates(x))
        if self.output_gate is not None:
            context = self.output_gate(context, x)
        return self.output(merge(context)), State(memory, state.length + 1)

    def gates(self, memory: torch.Tensor) -> dict[str, torch.Tensor]:
        """The decay of every key, (B, H, S) or (B, H, S, K), or (1, H, 1) if fixed."""
        if self.decay is not None:
            decay = open_gate(self.decay(memory))
            if self.sizes.decay == "columns":
                decay = decay.unflatten(1, (self.num_heads, -1)).mT
            return {"decay": decay}
        if self.sizes.decay is None:
            return {}
        fixed = retention_decay(self.num_heads)[:, None, None].swapaxes(0, 1)
        return {
            "decay": torch.as_tensor(fixed, device=memory.device).to(wide(memory.dtype))
        }


def open_gate(score: torch.Tensor) -> torch.Tensor:
    """The sigmoid of what a gate's linear map gives, (B, S, H), as (B, H, S)."""
    return torch.sigmoid(score.to(wide(score.dtype))).mT


class LinearAttention(DecayingAttention):
    """Linear attention over heads: ``linear_attention``.

    ``feature_map``, ``normalize`` and ``epsilon`` as there; a feature map that is a
    function of one's own must be known to Keras for saving. decay: None, "fixed" or
    "learned", of use where it is called with ``causal=True``. The weights are never
    formed (they are None). The mask is padding. No bias of scores, no dropout.

    ``new_state`` and ``step`` decode: what is remembered does not grow.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    Sizes = LinearSizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        feature_map: FeatureMap | Callable = "elu",
        decay: Decay | None = None,
        normalize: bool = True,
        epsilon: float = 1e-6,
        **options: Any,
    ) -> None:
        formula = {"feature_map": feature_map, "normalize": normalize}
        formula["epsilon"] = epsilon
        own = {"decay": decay, **formula}
        super().__init__(model_dim, num_heads, own=own, **options)
        self.formula = formula

    def new_state(self, batch: int) -> State:
        """The state of ``step`` before the first position: zeros."""
        check_at_least(1, batch=batch)
        own, H = self.like(), self.num_heads
        like = own.new_zeros(batch, H, self.sizes.key_dim, dtype=wide(own.dtype))
        total = torch.zeros_like(features(like, self.formula["feature_map"]))
        sums = total[..., None].expand(*total.shape, self.sizes.value_dim)
        return State((sums, total), 0)

    def remembering(self, memory, query, key, value, **gates):
        return linear_attention_step(memory, query, key, value, **gates, **self.formula)

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("LinearAttention", bias=bias, dropout=dropout)
        options = {"causal": causal, **gates, **self.formula}
        return linear_attention(query, key, value, mask, **options)
