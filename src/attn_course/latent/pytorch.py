"""Latent attention in PyTorch. Formulas: ``reference.py``."""

from typing import Any

from attn_course.dot_product.pytorch import scaled_dot_product_attention
from attn_course.frameworks import torch
from attn_course.grouped_query.pytorch import grouped_query_attention
from attn_course.kv_cache.pytorch import KVCache
from attn_course.latent.shared import EPSILON, latent_config, read_huggingface
from attn_course.layers.pytorch import (
    Mask,
    RMSNorm,
    is_mixed,
    linear,
    merge_heads,
    reset_linear,
    split_heads,
    to_mask,
)
from attn_course.layers.shared import spell_config
from attn_course.parity import set_parameters
from attn_course.positional.pytorch import rotate
from attn_course.shapes import check_floats, check_not_empty, check_shapes

__all__ = ["LatentAttention"]


class LatentAttention(torch.nn.Module):
    """Latent attention: ``attn_course.reference.latent_attention``.

    Raises:
        ValueError: a size is no whole number of at least 1, or rope_dim is odd.
    """

    parity_joint = "_"  # query.weight is called query_weight in ``attn_course.parity``

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        latent_dim: int,
        rope_dim: int,
        key_dim: int,
        value_dim: int,
        query_latent_dim: int | None = None,
        base: float = 10000.0,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.config = latent_config(
            base,
            query_latent_dim,
            model_dim=model_dim,
            num_heads=num_heads,
            latent_dim=latent_dim,
            rope_dim=rope_dim,
            key_dim=key_dim,
            value_dim=value_dim,
        )
        place = {"device": device, "dtype": dtype}
        plain, norm = {"use_bias": False, **place}, {"eps": EPSILON, **place}
        queries = num_heads * (key_dim + rope_dim)
        if query_latent_dim is None:
            self.query = linear(model_dim, queries, **plain)
        else:
            self.query_down = linear(model_dim, query_latent_dim, **plain)
            self.query_norm = RMSNorm(query_latent_dim, **norm)
            self.query_up = linear(query_latent_dim, queries, **plain)
        self.latent = linear(model_dim, latent_dim + rope_dim, **plain)
        self.latent_norm = RMSNorm(latent_dim, **norm)
        self.key_value = linear(latent_dim, num_heads * (key_dim + value_dim), **plain)
        self.output = linear(num_heads * value_dim, model_dim, **plain)

    def reset_parameters(self) -> None:
        """Draw all weights anew; the norms' scales are ones."""
        for part in self.children():
            if isinstance(part, RMSNorm):
                part.reset_parameters()
            else:
                reset_linear(part)

    def forward(
        self,
        x: torch.Tensor,
        mask: Mask = None,
        *,
        causal: bool = True,
        absorbed: bool = False,
        need_weights: bool = True,
        cache: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend from every position to all so far.

        Shapes:
            x (B, T, model_dim); mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...,
            True = may attend; cache: of ``new_cache``, S counts what it holds
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        sizes = check_shapes({"D": self.config["model_dim"]}, x=(x, "BTD"))
        check_not_empty(sizes, T="x")
        if not is_mixed(self.latent, x):
            check_floats(latent_weight=self.latent.weight, x=x)
        mask, T = to_mask(mask, x), x.shape[1]
        first = 0 if cache is None else cache.next_position(mask)
        positions = torch.arange(T, device=x.device) + first
        query, entry = self.queries(x, positions), self.entries(x, positions)
        if cache is not None:
            mask, _ = cache.limit(T, mask)
            entry, _ = cache.update(entry, entry[..., :0])
        attend = self.attend_absorbed if absorbed else self.attend_naive
        options = {"causal": causal, "need_weights": need_weights}
        context, weights = attend(query, entry, mask, **options)
        return self.output(merge_heads(context)), weights

    def queries(self, x, positions):
        """The queries (B, H, T, K + P), their last P columns rotated."""
        if self.config["query_latent_dim"] is None:
            query = self.query(x)
        else:
            query = self.query_up(self.query_norm(self.query_down(x)))
        query = split_heads(query, self.config["num_heads"])
        return self.rotate_end(query, self.config["key_dim"], positions)

    def entries(self, x, positions):
        """What is kept of a position, (B, 1, T, R + P): its latent, its turned key."""
        R = self.config["latent_dim"]
        small = self.latent(x)
        entry = torch.cat([self.latent_norm(small[..., :R]), small[..., R:]], dim=-1)
        return self.rotate_end(entry[:, None], R, positions)

    def rotate_end(self, x, start, positions):
        options = {"layout": "interleaved", "base": self.config["base"]}
        turned = rotate(x[..., start:], positions, **options)
        return torch.cat([x[..., :start], turned], dim=-1)

    def attend_naive(self, query, entry, mask, **options):
        """Keys and values of all heads are built from the latents."""
        _, H, R, _, K, V, *_ = self.config.values()
        built = split_heads(self.key_value(entry[:, 0, :, :R]), H)
        key, value = built.split([K, V], dim=-1)
        turned = entry[..., R:].expand(-1, H, -1, -1)
        key = torch.cat([key, turned], dim=-1)
        return scaled_dot_product_attention(query, key, value, mask, **options)

    def attend_absorbed(self, query, entry, mask, **options):
        """The latents are keys and values: one head of them for all queries."""
        _, H, R, P, K, V, *_ = self.config.values()
        up_HXR = self.key_value.weight.to(query.dtype).view(H, K + V, R)
        into_latent = torch.einsum("bhtk,hkr->bhtr", query[..., :K], up_HXR[:, :K])
        query = torch.cat([into_latent, query[..., K:]], dim=-1)
        context, weights = grouped_query_attention(
            query, entry, entry[..., :R], mask, scale=(K + P) ** -0.5, **options
        )
        return torch.einsum("bhtr,hvr->bhtv", context, up_HXR[:, K:]), weights

    def new_cache(self, batch: int, capacity: int, **options: Any) -> KVCache:
        """A cache of (latent_dim + rope_dim) numbers per position, for all heads.

        options: those of ``KVCache``.
        """
        width = self.config["latent_dim"] + self.config["rope_dim"]
        weight = self.latent.weight
        place = {"dtype": weight.dtype, "device": weight.device}
        # The values are a part of the keys: nothing more is kept.
        return KVCache(batch, 1, capacity, width, 0, **place | options)

    @classmethod
    def from_huggingface(cls, module: Any) -> "LatentAttention":
        """A layer with the weights of Hugging Face's ``DeepseekV3Attention``.

        Raises:
            ValueError: it has what ours has not: biases, a lengthened rotary encoding.
        """
        sizes, parameters = read_huggingface(module)
        layer = cls(**sizes).to(module.o_proj.weight)
        set_parameters(layer, parameters)
        return layer.train(module.training)

    def extra_repr(self) -> str:
        return spell_config(self.config)
