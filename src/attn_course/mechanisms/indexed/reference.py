"""Indexed attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.masks import causal_mask
from attn_course.core.shapes import check_parameters, check_shapes
from attn_course.mechanisms.dot_product.reference import masked_softmax
from attn_course.mechanisms.indexed.shared import (
    check_index,
    check_index_loss,
    check_top,
)
from attn_course.mechanisms.latent.reference import latent_attention, query_latent
from attn_course.mechanisms.latent.shared import EPSILON
from attn_course.mechanisms.parts.positional.reference import rotate

__all__ = ["index_loss", "index_scores", "indexed_attention", "top_keys"]


def index_scores(query: np.ndarray, key: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """How much each query wants each key, by a few small heads with one key for all.

    score[t, s] = sum over i of weight[t, i] relu(query[i, t] . key[s]) / sqrt(I J)

    Shapes:
        query: (..., I, T, J). key: (..., S, J). weight: (..., T, I), of either sign.
        returns: (..., T, S).

    Raises:
        ValueError: a shape or dtype is not as above.

    Source: DeepSeek-AI 2025 (arXiv:2512.02556), equation 1.
    Differs: the root stands in the authors' code, not in the paper. Which keys are
        chosen is the same, what ``index_loss`` learns from is not.
    """
    check_index(query, key, weight)
    query, key, weight = (np.asarray(x, np.float64) for x in (query, key, weight))
    heads, width = query.shape[-3], query.shape[-1]
    heard = np.maximum(query @ np.swapaxes(key, -1, -2)[..., None, :, :], 0.0)
    return np.einsum("...its,...ti->...ts", heard, weight) / np.sqrt(width * heads)


def top_keys(
    score: np.ndarray, k: int, mask: np.ndarray | None = None, *, causal: bool = False
) -> np.ndarray:
    """True for the k keys of each query with the highest scores among those it sees.

    Of equal scores the first keys are taken, however many keys there are: so a step
    with a cache chooses what the whole pass chose.

    Shapes:
        score: (..., T, S). mask: boolean, score's last axes, each of full size or 1.
        causal: True also hides keys that stand after the query.
        returns: boolean (..., T, S), a mask.

    Edge case: a query that sees at most k keys keeps them all, one that sees none has
        none. A score of minus infinity is never chosen.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or k is no whole number of
            at least 1.

    Source: DeepSeek-AI 2025 (arXiv:2512.02556), equation 2.
    Differs: the paper, its code and ``torch.topk`` have no rule for equal scores.
    """
    check_top(score, k, mask)
    seen = seen_keys(score, mask, causal)
    order = np.argsort(np.where(seen, -score, np.inf), axis=-1, kind="stable")
    chosen = np.zeros(score.shape, bool)
    np.put_along_axis(chosen, order[..., :k], True, axis=-1)
    return chosen & seen


def seen_keys(score, mask, causal):
    """What mask and causal allow, and no score of minus infinity."""
    seen = score != -np.inf
    seen = seen if mask is None else seen & mask
    return seen & causal_mask(*score.shape[-2:]) if causal else seen


def index_loss(
    score: np.ndarray,
    weights: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
) -> np.ndarray:
    """How far the softmax of the scores is from what all heads attended to together.

    target = sum over heads of weights, of the keys that are seen, divided by its sum
    loss   = mean over queries of KL(target || softmax(score))

    Shapes:
        score: (..., T, S). weights: (..., H, T, S), of the attention; no gradient
        reaches them. mask and causal: as in ``top_keys``, and what it chose where the
        attention has read that alone.
        returns: one number.

    Edge case: a query that sees no key, or has no weight there, adds 0.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: DeepSeek-AI 2025 (arXiv:2512.02556), equations 3 and 4.
    Differs: the mean over the queries, not their sum.
    """
    check_index_loss(score, weights, mask)
    score, weights = (np.asarray(x, np.float64) for x in (score, weights))
    seen = seen_keys(score, mask, causal)
    target = np.where(seen, weights.sum(axis=-3), 0.0)
    total = target.sum(axis=-1, keepdims=True)
    target = np.divide(target, total, out=np.zeros_like(target), where=total > 0)
    found = masked_softmax(score, seen)
    has = target > 0
    apart = np.log(np.where(has, target, 1.0)) - np.log(np.where(has, found, 1.0))
    return np.mean((target * apart).sum(axis=-1))


def indexed_attention(
    x: np.ndarray,
    parameters: dict[str, np.ndarray],
    mask: np.ndarray | None = None,
    *,
    num_heads: int,
    key_dim: int,
    value_dim: int,
    rope_dim: int,
    top_k: int,
    base: float = 10000.0,
    causal: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Latent attention over the keys that an indexer chooses, the same for all heads.

    query  = [plain; rotate(rest)] of each block of the query's latent @
             index_query_weight
    key    = [plain; rotate(rest)] of layer_norm(x @ index_key_weight)
    score  = index_scores(query, key, x @ index_head_weight)
    output = latent_attention with the mask top_keys(score, top_k)

    Shapes:
        x: (B, T, D). parameters: see ``attn_course.mechanisms.indexed``.
        mask: boolean (T, T), (B, 1, T, T), (B, 1, 1, T); True = may attend. Where it
        differs from head to head, (B, H, T, T), a key is there to be chosen if one head
        may attend to it.
        returns: output (B, T, D), weights (B, H, T, T), 0 where no key was chosen.

    Edge case: with top_k at least T it is ``latent_attention``.

    Raises:
        ValueError: a shape is not as above.

    Source: DeepSeek-AI 2025 (arXiv:2512.02556), section 2.1, with the norm and the
        rotation of the authors' code.
    Differs: the code turns the small heads by a Hadamard matrix, which changes no
        score, and rounds them to 8 bits.
    """
    names = ("index_query_weight", "index_key_weight", "index_norm.scale")
    check_parameters(parameters, *names, "index_norm.bias", "index_head_weight")
    T = check_shapes({"D": len(parameters["index_key_weight"])}, x=(x, "BTD"))["T"]
    heads = parameters["index_head_weight"].shape[1]

    def turned(small):
        plain, end = np.split(small, [small.shape[-1] - rope_dim], axis=-1)
        end = rotate(end, np.arange(T), layout="interleaved", base=base)
        return np.concatenate([plain, end], axis=-1)

    query = query_latent(x, parameters) @ parameters["index_query_weight"]
    query = np.stack(np.split(query, heads, axis=-1), axis=1)
    key = x @ parameters["index_key_weight"]
    key = key - key.mean(axis=-1, keepdims=True)
    key = key / np.sqrt(np.mean(key**2, axis=-1, keepdims=True) + EPSILON)
    key = key * parameters["index_norm.scale"] + parameters["index_norm.bias"]
    weight = x @ parameters["index_head_weight"]
    score = index_scores(turned(query), turned(key), weight)
    seen = mask if mask is None or mask.ndim == 2 else mask.any(axis=1)
    chosen = top_keys(score, top_k, seen, causal=causal)[:, None]
    sizes = {"num_heads": num_heads, "key_dim": key_dim, "value_dim": value_dim}
    sizes |= {"rope_dim": rope_dim, "base": base}
    mask = chosen if mask is None else mask & chosen
    return latent_attention(x, parameters, mask, **sizes, causal=causal)
