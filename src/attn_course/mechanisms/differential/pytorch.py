"""Differential attention in PyTorch: the formula, then what is called."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.pytorch import widen
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import Mask
from attn_course.mechanisms.differential.shared import (
    EPSILON,
    INITIAL,
    SPREAD,
    DifferentialSizes,
    check_differential,
)
from attn_course.mechanisms.dot_product.pytorch import dot_product

__all__ = ["DifferentialAttention", "differential_attention"]


def learned_factor(lambda_query, lambda_key, lambda_init):
    """exp(query[0] . key[0]) - exp(query[1] . key[1]) + lambda_init, a number."""
    first, second = torch.exp((lambda_query * lambda_key).sum(dim=-1)).unbind()
    return first - second + lambda_init


def difference(query, key, value, mask, factor, **options):
    """The formula: softmax(Q_1 K_1^T) V - factor softmax(Q_2 K_2^T) V, and weights."""
    halves = zip(query.chunk(2, dim=-1), key.chunk(2, dim=-1), strict=True)
    (context, weights), (noise, other) = (
        dot_product(q, k, value, mask, **options) for q, k in halves
    )
    weights = None if weights is None else weights - factor * other
    return context - factor * noise, weights


def differential_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    lambda_query: torch.Tensor,
    lambda_key: torch.Tensor,
    lambda_init: float = INITIAL,
    epsilon: float = EPSILON,
    bias: torch.Tensor | None = None,
    scale: float | None = None,
    causal: bool = False,
    need_weights: bool = True,
    softmax: Callable | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """See ``attn_course.reference.differential_attention``.

    Computed in float32 or more. bias, scale and softmax are those of both softmaxes.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    heads, dtype = (query, key, value), query.dtype
    lambdas = {"lambda_query": lambda_query, "lambda_key": lambda_key}
    check_differential(heads, mask, lambdas, lambda_init, epsilon, bias)
    query, key, value, *vectors = widen(*heads, *lambdas.values())
    options = {"bias": bias, "scale": scale, "causal": causal, "softmax": softmax}
    options["need_weights"] = need_weights
    factor = learned_factor(*vectors, lambda_init)
    context, weights = difference(query, key, value, mask, factor, **options)
    context = torch.nn.functional.rms_norm(context, context.shape[-1:], eps=epsilon)
    weights = None if weights is None else weights.to(dtype)
    return ((1 - lambda_init) * context).to(dtype), weights


class DifferentialAttention(AttentionLayer):
    """Layer of ``differential_attention``: two softmaxes of half a head's width.

    query_key_norm, rotary: of the halves, 2 H heads of key_dim / 2 columns. No dropout.

    Raises:
        ValueError: key_dim is odd, lambda_init no share, or another size is wrong.
    """

    Sizes = DifferentialSizes
    can_drop = False
    own_softmax = own_scale = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        lambda_init: float = INITIAL,
        epsilon: float = EPSILON,
        **options: Any,
    ) -> None:
        own = {"lambda_init": lambda_init, "epsilon": epsilon}
        super().__init__(model_dim, num_heads, own=own, **options)
        shape, weight = (2, self.sizes.key_dim // 2), self.query.weight
        self.lambda_query = torch.nn.Parameter(weight.new_empty(shape))
        self.lambda_key = torch.nn.Parameter(weight.new_empty(shape))
        self.reset_lambdas()

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        super().reset_parameters()
        self.reset_lambdas()

    def reset_lambdas(self) -> None:
        """Draw the vectors: the factor begins close to lambda_init."""
        for x in (self.lambda_query, self.lambda_key):
            torch.nn.init.normal_(x, std=SPREAD)

    def prepare(self, query, key, **position):
        """Norm and positions of each half, as of heads of their own."""
        halves = (torch.cat(x.chunk(2, dim=-1), dim=1) for x in (query, key))
        prepared = super().prepare(*halves, **position)
        query, key = (torch.cat(x.chunk(2, dim=1), dim=-1) for x in prepared)
        return query, key

    def attend(self, query, key, value, mask, *, dropout, **options):
        check_supported("DifferentialAttention", dropout=dropout)
        names = ("lambda_query", "lambda_key")
        options |= {name: getattr(self, name) for name in names}
        options["lambda_init"] = self.sizes.lambda_init
        options["epsilon"] = self.sizes.epsilon
        return differential_attention(query, key, value, mask, **options)
