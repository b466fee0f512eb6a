"""Linear attention in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.chunked.pytorch import hide, log_of, sum_up, widen
from attn_course.frameworks import torch
from attn_course.layers.pytorch import AttentionLayer, linear, reset_linear
from attn_course.layers.shared import check_supported
from attn_course.linear.shared import (
    FIRST_DECAY_BIAS,
    check_decay_kind,
    check_feature_map,
    check_linear,
    check_step,
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
    feature_map: str | Callable = "elu",
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
    check_linear(query, key, value, mask, decay=decay)
    if decay is not None and not causal:
        raise ValueError("decay must be None where causal is False")
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = features(query, feature_map), features(key, feature_map)
    log_decay = None if decay is None else log_of(decay, key)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
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
    feature_map: str | Callable = "elu",
    decay: torch.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
) -> tuple[torch.Tensor, Any]:
    """See ``attn_course.reference.linear_attention_step``; the state is wide."""
    check_feature_map(feature_map)
    check_step(query, key, value, decay=decay)
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


class DecayingAttention(AttentionLayer):
    """What ``LinearAttention`` and ``DeltaRuleAttention`` share: the decay of a state.

    decay: None, "fixed" (``retention_decay``), or "learned": of every key and head the
    sigmoid of a linear map of the key's input.
    """

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        decay: str | None = None,
        **options: Any,
    ) -> None:
        check_decay_kind(decay)
        super().__init__(model_dim, num_heads, **options)
        name = type(self).__name__
        check_supported(name, dropout=self.config["dropout"] or None)
        self.config["decay"] = decay
        self.decay = None
        if decay == "learned":
            self.decay = self.gate()

    def gate(self, bias: float = FIRST_DECAY_BIAS) -> torch.nn.Linear:
        """A linear map of the keys' input, one number a head, that begins at bias."""
        weight, inputs = self.query.weight, self.config["memory_dim"][0]
        where = {"device": weight.device, "dtype": weight.dtype}
        made = linear(inputs, self.num_heads, True, **where)
        torch.nn.init.constant_(made.bias, bias)
        return made

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        super().reset_parameters()
        if self.decay is not None:
            reset_linear(self.decay)
            torch.nn.init.constant_(self.decay.bias, FIRST_DECAY_BIAS)

    def gates(self, key: torch.Tensor) -> dict[str, torch.Tensor]:
        """The decay of every key, (B, H, S), or the fixed one, (1, H, 1)."""
        if self.decay is not None:
            return {"decay": open_gate(self.decay(key))}
        if self.config["decay"] is None:
            return {}
        fixed = retention_decay(self.num_heads)[:, None, None].swapaxes(0, 1)
        return {"decay": torch.as_tensor(fixed, device=key.device).to(*widest(key))}


def widest(x):
    """The dtype of a gate of x, as an argument of ``to``: float32 or more."""
    return (torch.promote_types(x.dtype, torch.float32),)


def open_gate(score: torch.Tensor) -> torch.Tensor:
    """The sigmoid of what a gate's linear map gives, (B, S, H), as (B, H, S)."""
    return torch.sigmoid(score.to(*widest(score))).mT


class LinearAttention(DecayingAttention):
    """Linear attention over heads: ``linear_attention``.

    ``feature_map``, ``normalize`` and ``epsilon`` as there; a feature map that is a
    function of one's own must be known to Keras for saving. decay: None, "fixed" or
    "learned", of use where it is called with ``causal=True``. The weights are never
    formed (they are None). The mask is padding. No bias, no dropout.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        feature_map: str | Callable = "elu",
        decay: str | None = None,
        normalize: bool = True,
        epsilon: float = 1e-6,
        **options: Any,
    ) -> None:
        check_feature_map(feature_map)
        super().__init__(model_dim, num_heads, decay=decay, **options)
        self.formula = {"feature_map": feature_map, "normalize": normalize}
        self.formula["epsilon"] = epsilon
        self.config |= self.formula

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("LinearAttention", bias=bias, dropout=dropout)
        options = {"causal": causal, **gates, **self.formula}
        return linear_attention(query, key, value, mask, **options)
