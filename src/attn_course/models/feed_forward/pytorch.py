"""The network of a Transformer's layer, and its norms, in PyTorch."""

from functools import partial
from typing import Any, ClassVar

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import RMSNorm, is_mixed, make_linear, reset_linear
from attn_course.core.layer.shared import check_words, spell_config
from attn_course.core.shapes import check_floats
from attn_course.models.feed_forward.shared import (
    GATED,
    Activation,
    feed_forward_config,
    norm_epsilon,
)

__all__ = ["FeedForward"]

gelu_tanh = partial(torch.nn.functional.gelu, approximate="tanh")
ACTIVATIONS = {
    "relu": torch.nn.functional.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": gelu_tanh,
    "silu": torch.nn.functional.silu,
    "swiglu": torch.nn.functional.silu,
    "geglu": torch.nn.functional.gelu,
    "geglu_tanh": gelu_tanh,
}


class FeedForward(torch.nn.Module):
    """The same small network at every position: ``attn_course.reference.feed_forward``.

    Raises:
        ValueError: a size or the activation is wrong.
    """

    parity_names: ClassVar = {"inner": "0", "outer": "1"}

    def __init__(
        self,
        model_dim: int,
        ff_dim: int,
        *,
        activation: Activation = "relu",
        use_bias: bool = True,
        dropout: float = 0.0,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        sizes = model_dim, ff_dim, activation, use_bias, dropout
        self.config = feed_forward_config(*sizes)
        options = {"device": device, "dtype": dtype}
        use_bias = self.config["use_bias"]
        self.inner = make_linear(model_dim, ff_dim, use_bias, **options)
        self.outer = make_linear(ff_dim, model_dim, use_bias, **options)
        self.gate = None
        if activation in GATED:
            self.gate = make_linear(model_dim, ff_dim, use_bias, **options)
        self.activation = ACTIVATIONS[activation]
        self.dropout = torch.nn.Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for part in self.children():
            if isinstance(part, torch.nn.Linear):
                reset_linear(part)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (B, T, model_dim) -> (B, T, model_dim); raises ValueError for another x."""
        check_words(x, self.config["model_dim"], needed=False)
        if not is_mixed(self.inner, x) and x.dtype != self.inner.weight.dtype:
            check_floats(weight=self.inner.weight, x=x)
        hidden = self.inner(x)
        if self.gate is None:
            hidden = self.activation(hidden)
        else:
            hidden = self.activation(self.gate(x)) * hidden
        return self.outer(self.dropout(hidden))

    def extra_repr(self) -> str:
        return spell_config(self.config)


def make_norm(
    normalization: str, model_dim: int, eps: float | None = None, **options: Any
) -> torch.nn.Module:
    """LayerNorm, with epsilon 1e-5 unless given, or RMSNorm, with 1e-6."""
    make = RMSNorm if normalization == "rms" else torch.nn.LayerNorm
    options |= {"bias": False} if normalization == "layer_no_bias" else {}
    return make(model_dim, eps=norm_epsilon(normalization, eps), **options)
