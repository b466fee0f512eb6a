"""Sizes and checks of the indexer, and what is read from another library's module."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_course.core.shapes import (
    check_arrays,
    check_at_least,
    check_floats,
    check_not_empty,
    check_shapes,
    check_softmax_mask,
)
from attn_course.mechanisms.latent.shared import NAMES, LatentSizes, read_huggingface


@dataclass(frozen=True, kw_only=True)
class IndexedSizes(LatentSizes):
    """The number and width of the small heads, and how many keys they choose."""

    index_heads: int
    index_dim: int
    top_k: int

    def __post_init__(self):
        super().__post_init__()
        sizes = {"index_heads": self.index_heads, "top_k": self.top_k}
        check_at_least(1, query_latent_dim=self.query_latent_dim, **sizes)
        check_at_least(self.rope_dim, index_dim=self.index_dim)

    @property
    def entry_dim(self) -> int:
        """How many numbers a cache keeps of a position."""
        return super().entry_dim + self.index_dim

    def config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        names = ("index_heads", "index_dim", "top_k")
        return super().config() | {name: getattr(self, name) for name in names}


def check_index(query: Any, key: Any, weight: Any) -> None:
    """Raise ValueError unless they are an indexer's: one key a position, I queries."""
    given = {"query": (query, "...ITJ"), "key": (key, "...SJ")}
    check_shapes(**given, weight=(weight, "...TI"))
    check_floats(query=query, key=key, weight=weight)


def check_top(score: Any, k: Any, mask: Any) -> None:
    """Raise ValueError unless there are scores, a number of keys, and a mask to fit."""
    check_not_empty(check_shapes(score=(score, "...TS")), T="score", S="score")
    check_floats(score=score)
    check_at_least(1, k=k)
    if mask is not None:
        check_softmax_mask(mask, score)


def check_index_loss(score: Any, weights: Any, mask: Any) -> None:
    """Raise ValueError unless scores and weights are of the same queries and keys."""
    check_arrays(score=score, weights=weights)
    check_shapes(score=(score, "...TS"), weights=(weights, "...HTS"))
    check_floats(score=score)
    check_floats(weights=weights)
    if mask is not None:
        check_softmax_mask(mask, score)


INDEX_NAMES = {
    "indexer.wq_b.weight": "index_query_weight",
    "indexer.wk.weight": "index_key_weight",
    "indexer.k_norm.weight": "index_norm.scale",
    "indexer.k_norm.bias": "index_norm.bias",
    "indexer.weights_proj.weight": "index_head_weight",
}


def read_indexed(
    module: Any,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, np.ndarray]]:
    """``read_huggingface`` of a ``DeepseekV32Attention``.

    It turns the first columns of the small heads, a column with that of the other half;
    here are turned the last, in pairs as in the large heads. Their order is no matter.

    Raises:
        ValueError: it has what ours has not: biases, or another rotary encoding.
    """
    options, turn, parameters = read_huggingface(module, NAMES | INDEX_NAMES)
    if "index_query_weight" not in parameters:
        came = type(module).__name__
        raise ValueError(f"module must be a DeepseekV32Attention, got {came}")
    config, P = module.config, options["rope_dim"]
    heads, width = config.index_n_heads, config.index_head_dim
    pairs = np.arange(P).reshape(2, -1).T.ravel()
    order = np.concatenate([np.arange(P, width), pairs])
    blocks = parameters["index_query_weight"].reshape(-1, heads, width)
    parameters["index_query_weight"] = blocks[..., order].reshape(len(blocks), -1)
    for name in ("index_key_weight", "index_norm.scale", "index_norm.bias"):
        parameters[name] = parameters[name][..., order]
    own = {"index_heads": heads, "index_dim": width, "top_k": config.index_topk}
    return options | own, turn, parameters
