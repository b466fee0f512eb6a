"""Indexed attention in PyTorch: the formula, then the layer."""

from typing import Any

from attn_course.core.chunked.pytorch import widen
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import make_linear, split
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.mechanisms.dot_product.pytorch import allowed_keys
from attn_course.mechanisms.indexed.shared import (
    IndexedSizes,
    check_index,
    check_index_loss,
    check_top,
    read_indexed,
)
from attn_course.mechanisms.latent.pytorch import LatentAttention
from attn_course.mechanisms.latent.shared import EPSILON

__all__ = ["IndexedAttention", "index_loss", "index_scores", "top_keys"]


def scores_of(query, key, weight):
    """The formula: weighted ReLUs of the small heads, summed."""
    heads, width = query.shape[-3], query.shape[-1]
    heard = torch.relu(query @ key.mT[..., None, :, :])
    return torch.einsum("...its,...ti->...ts", heard, weight) / (width * heads) ** 0.5


def highest(score, k, seen):
    """The formula: above the k-th score all, and of those equal to it the first."""
    score = torch.where(seen, score, -torch.inf)
    least = kth(score, k)
    above, equal = score > least, score == least
    room = k - above.sum(dim=-1, keepdim=True)
    return (above | equal & (equal.cumsum(dim=-1) <= room)) & seen


def kth(score, k):
    """The k-th highest of each row, or the lowest of one that is shorter."""
    S = score.shape[-1]
    if isinstance(S, int):
        return score.topk(min(k, S), dim=-1).values[..., -1:]
    longer = torch.nn.functional.pad(score, (0, k), value=-torch.inf)
    return longer.topk(k, dim=-1).values[..., -1:]


def index_scores(
    query: torch.Tensor, key: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    """See ``attn_course.reference.index_scores``. In float32 or more, and returned so.

    Raises:
        ValueError: a shape or dtype is not as the reference says.
    """
    check_index(query, key, weight)
    return scores_of(*widen(query, key, weight))


def top_keys(
    score: torch.Tensor, k: int, mask: Mask = None, *, causal: bool = False
) -> torch.Tensor:
    """See ``attn_course.reference.top_keys``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_top(score, k, mask)
    return highest(score, k, seen_keys(score, mask, causal))


def seen_keys(score, mask, causal):
    """What mask and causal allow, and no score of minus infinity."""
    column = score[..., :1, :].mT  # as many as there are keys
    return allowed_keys(score, column, mask, bias=score, causal=causal)


def index_loss(
    score: torch.Tensor,
    weights: torch.Tensor,
    mask: Mask = None,
    *,
    causal: bool = False,
) -> torch.Tensor:
    """See ``attn_course.reference.index_loss``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_index_loss(score, weights, mask)
    score, weights = widen(score, weights.detach())
    seen = seen_keys(score, mask, causal)
    target = torch.where(seen, weights.sum(dim=-3), 0.0)
    total = target.sum(dim=-1, keepdim=True)
    target = target / torch.where(total > 0, total, 1.0)
    score = torch.where(seen, score, torch.finfo(score.dtype).min)
    found = torch.log_softmax(score, dim=-1)
    return (torch.xlogy(target, target) - target * found).sum(dim=-1).mean()


def gathered(entry, chosen, k):
    """The chosen entries (B, 1, k, X), and (B, 1, 1, k), False behind the last one."""
    kept, places = chosen.to(entry.dtype).topk(min(k, chosen.shape[-1]), dim=-1)
    # Compiled, take_along_dim would make one graph for each number of entries.
    places = places.mT.expand(-1, -1, -1, entry.shape[-1])
    return entry.gather(2, places), kept > 0


class IndexedAttention(LatentAttention):
    """Latent attention over chosen keys: ``attn_course.reference.indexed_attention``.

    index_heads small heads of width index_dim choose top_k keys for each query; all
    else is as in ``LatentAttention``. The loss of the output gives the indexer no
    gradient: train it by ``index_loss(layer.index(x), weights)``.

    Raises:
        ValueError: a size is no whole number of at least 1, query_latent_dim is None,
            index_dim is below rope_dim, or as ``LatentAttention`` does.
    """

    Sizes = IndexedSizes
    read = staticmethod(read_indexed)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        query_latent_dim: int,
        index_heads: int,
        index_dim: int,
        top_k: int,
        **options: Any,
    ) -> None:
        own = {"index_heads": index_heads, "index_dim": index_dim, "top_k": top_k}
        options |= {"query_latent_dim": query_latent_dim, "own": own}
        super().__init__(model_dim, num_heads, **options)

    def make_maps(self, **place: Any) -> None:
        """The linear maps and norms, by the sizes."""
        super().make_maps(**place)
        plain, sizes = {"use_bias": False, **place}, self.sizes
        heads, width = sizes.index_heads, sizes.index_dim
        queries = heads * width
        self.index_query = make_linear(sizes.query_latent_dim, queries, **plain)
        self.index_key = make_linear(sizes.model_dim, width, **plain)
        self.index_norm = torch.nn.LayerNorm(width, eps=EPSILON, **place)
        self.index_head = make_linear(sizes.model_dim, heads, **plain)

    def index(self, x: torch.Tensor) -> torch.Tensor:
        """The indexer's score of every key for every query: (B, T, D) -> (B, T, T).

        Its gradient reaches the indexer alone.

        Raises:
            ValueError: x is not as above.
        """
        self.check(x, x, x, None)
        x = x.detach()
        query, weight = self.asks(x)
        key = self.turned(self.index_keys(x))[:, 0]
        return scores_of(*widen(query, key, weight))

    def asks(self, x, **position):
        """The small heads' queries (B, I, T, J) and their weights (B, T, I)."""
        latent = self.query_latent(x).detach()
        query = split(self.index_query(latent), self.sizes.index_heads)
        return self.turned(query, **position), self.index_head(x)

    def index_keys(self, x):
        """One small key a position, (B, 1, T, J), not yet turned."""
        return self.index_norm(self.index_key(x))[:, None]

    def turned(self, x, **position):
        """The last rope_dim columns turned, as those of the large heads are."""
        start = x.shape[-1] - self.sizes.rope_dim
        turn = self.turn if self.rotary is None else self.rotary
        end, _ = turn(x[..., start:], x[:, :1, :, start:], **position)
        return torch.cat([x[..., :start], end], dim=-1)

    def walk(self, query, key, value, mask, *, head_mask, cache, **how):
        """All steps of ``LatentAttention``; before them, what the small heads ask."""
        self.check(query, key, value, head_mask)
        position = {} if cache is None else self.position(cache, mask)
        how |= {"head_mask": head_mask, "cache": cache}
        how["asks"] = self.asks(query, **position)
        return super().walk(query, key, value, mask, **how)

    def project(self, query, key, value):
        """Behind what is kept of each word, its small key."""
        query, entry, nothing = super().project(query, key, value)
        small = self.index_keys(key).to(entry.dtype)
        return query, torch.cat([entry, small], dim=-1), nothing

    def prepare(self, query, key, **position):
        """Positions, of the small keys too."""
        entry, small = self.parts(key)
        query, entry = super().prepare(query, entry, **position)
        return query, torch.cat([entry, self.turned(small, **position)], dim=-1)

    def parts(self, key):
        """What latent attention keeps of each word, and the small keys."""
        width = self.sizes.index_dim
        return key[..., :-width], key[..., -width:]

    def attend(self, query, key, value, mask, *, asks, causal, **options):
        """Choose, then attend to what was chosen."""
        (small_query, weight), (entry, small) = asks, self.parts(key)
        score = scores_of(*widen(small_query, small[:, 0], weight))
        mask = to_mask(mask, query)
        seen = mask if mask is None or mask.ndim == 2 else mask.any(dim=1)
        seen = seen_keys(score, seen, causal)
        chosen = highest(score, self.sizes.top_k, seen)[:, None]
        mask = chosen if mask is None else mask & chosen
        plain = options["bias"] is None and not options["need_weights"]
        T = query.shape[2]  # of any length, in a graph, it is not compared
        if plain and isinstance(T, int) and T == mask.shape[1] == 1:
            entry, mask = gathered(entry, mask, self.sizes.top_k)
        return super().attend(query, entry, value, mask, causal=False, **options)
