"""Latent attention in PyTorch. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import (
    AttentionLayer,
    RMSNorm,
    is_mixed,
    make_linear,
    matrix_of,
    split,
)
from attn_course.core.layer.shared import check_head_share, check_words
from attn_course.core.masks.pytorch import Mask
from attn_course.core.parity import set_parameters
from attn_course.core.shapes import check_at_least, check_floats
from attn_course.mechanisms.dot_product.pytorch import dot_product
from attn_course.mechanisms.grouped_query.pytorch import in_groups_or_fused
from attn_course.mechanisms.latent.shared import (
    BASE,
    EPSILON,
    REFUSED,
    LatentSizes,
    check_turn,
    read_huggingface,
)
from attn_course.mechanisms.parts.positional.pytorch import (
    RotaryEncoding,
    turned,
    waves,
)

__all__ = ["LatentAttention"]


class LatentAttention(AttentionLayer):
    """Latent attention: ``attn_course.reference.latent_attention``.

    scale None is 1 / sqrt(key_dim + rope_dim). rotary: another rotation of the last
    rope_dim columns, as ``RotaryEncoding(rope_dim, layout="interleaved", ...)``; base
    is for the usual one. The parts are those of ``AttentionLayer``, but for a norm of
    query and key: there is no key for it where the latents are keys.

    Raises:
        ValueError: a size is no whole number of at least 1, rope_dim is odd, or a part
            is given that it can't take.
    """

    Sizes = LatentSizes
    own_softmax = own_scale = grouped = True
    reads_memory = False  # it has one input
    refused = REFUSED
    read = staticmethod(read_huggingface)

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
        base: float = BASE,
        dropout: float = 0.0,
        scale: float | None = None,
        rotary: torch.nn.Module | None = None,
        softmax: torch.nn.Module | None = None,
        output_gate: torch.nn.Module | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
        own: dict[str, Any] | None = None,
    ) -> None:
        check_at_least(1, key_dim=key_dim, value_dim=value_dim)
        check_turn(base, rotary)
        own = {} if own is None else own
        own |= {"latent_dim": latent_dim, "rope_dim": rope_dim, "base": base}
        super().__init__(
            model_dim,
            num_heads,
            key_dim=key_dim,
            value_dim=value_dim,
            use_bias=False,
            dropout=dropout,
            scale=scale,
            rotary=rotary,
            softmax=softmax,
            output_gate=output_gate,
            device=device,
            dtype=dtype,
            own=own | {"query_latent_dim": query_latent_dim},
        )

    def make_maps(self, **place: Any) -> None:
        """The linear maps and norms, by the sizes."""
        plain, norm = {"use_bias": False, **place}, {"eps": EPSILON, **place}
        sizes = self.sizes
        D, H, R, Q = (
            sizes.model_dim,
            sizes.num_heads,
            sizes.latent_dim,
            sizes.query_latent_dim,
        )
        queries = H * (sizes.key_dim + sizes.rope_dim)
        if Q is None:
            self.query = make_linear(D, queries, **plain)
        else:
            self.query_down = make_linear(D, Q, **plain)
            self.query_norm = RMSNorm(Q, **norm)
            self.query_up = make_linear(Q, queries, **plain)
        self.latent = make_linear(D, R + sizes.rope_dim, **plain)
        self.latent_norm = RMSNorm(R, **norm)
        self.key_value = make_linear(R, H * (sizes.key_dim + sizes.value_dim), **plain)
        self.output = make_linear(H * sizes.value_dim, D, **plain)

    def forward(
        self,
        x: torch.Tensor,
        mask: Mask = None,
        *,
        bias: torch.Tensor | None = None,
        causal: bool = True,
        absorbed: bool = False,
        need_weights: bool = True,
        head_mask: torch.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend from every position to all so far.

        Shapes:
            x (B, T, model_dim); mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...,
            True = may attend; bias and head_mask as in ``AttentionLayer``; cache: of
            ``new_cache``, S counts what it holds
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        how = {"bias": bias, "causal": causal, "need_weights": need_weights}
        how |= {"head_mask": head_mask, "cache": cache, "absorbed": absorbed}
        return self.walk(x, x, x, mask, **how)

    def project(self, query, key, value):
        """Queries (B, H, T, K + P), and what is kept of each word, (B, 1, T, R + P).

        Of values nothing more is kept: they are a part of the keys.
        """
        x = query
        if self.sizes.query_latent_dim is None:
            query = self.query(x)
        else:
            query = self.query_up(self.query_latent(x))
        small, R = self.latent(x), self.sizes.latent_dim
        parts = self.latent_norm(small[..., :R]), small[..., R:]
        entry = torch.cat(parts, dim=-1)[:, None]
        return split(query, self.num_heads), entry, entry[..., :0]

    def query_latent(self, x):
        """The latent that the queries of all heads are made of: (B, T, Q)."""
        return self.query_norm(self.query_down(x))

    def prepare(self, query, key, **position):
        """Positions: the last rope_dim columns of both are turned."""
        K, R = self.sizes.key_dim, self.sizes.latent_dim
        ends = query[..., K:], key[..., R:]
        turn = self.turn if self.rotary is None else self.rotary
        query_end, key_end = turn(*ends, **position)
        query = torch.cat([query[..., :K], query_end], dim=-1)
        return query, torch.cat([key[..., :R], key_end], dim=-1)

    def turn(self, *ends, first_position=0):
        """The usual rotation, of the position's own angle."""
        T, place = ends[0].shape[2], {"device": ends[0].device}
        positions = torch.arange(T, **place) + first_position
        how = ends[0].shape[-1], ends[0].dtype
        found = waves(positions, *how, base=self.sizes.base)
        return (turned(x, found, "interleaved") for x in ends)

    def attend(self, query, key, value, mask, *, absorbed, **options):
        """The naive form: keys and values of all heads are built from the latents."""
        if absorbed:
            return self.attend_absorbed(query, key, mask, **options)
        sizes = self.sizes
        H, R, K, V = sizes.num_heads, sizes.latent_dim, sizes.key_dim, sizes.value_dim
        built = split(self.key_value(key[:, 0, :, :R]), H)
        ends = key[..., R:].expand(-1, H, -1, -1)
        key, value = built.split([K, V], dim=-1)
        key = torch.cat([key, ends], dim=-1)
        return dot_product(query, key, value, mask, **options)

    def attend_absorbed(self, query, key, mask, **options):
        """The latents are keys and values: one head of them for all queries."""
        sizes = self.sizes
        H, R, K, V = sizes.num_heads, sizes.latent_dim, sizes.key_dim, sizes.value_dim
        up_RHX = matrix_of(self.key_value, R, query).reshape(R, H, K + V)
        into_latent = torch.einsum("bhtk,rhk->bhtr", query[..., :K], up_RHX[..., :K])
        query = torch.cat([into_latent, query[..., K:]], dim=-1)
        options["scale"] = sizes.score_scale
        inputs = query, key, key[..., :R], mask
        context, weights = in_groups_or_fused(*inputs, **options)
        return torch.einsum("bhtr,rhv->bhtv", context, up_RHX[..., K:]), weights

    def position(self, cache, mask):
        """Where the first new position stands."""
        return {"first_position": cache.next_position(mask)}

    def check(self, query: Any, key: Any, value: Any, head_mask: Any) -> None:
        """Raise ValueError unless the input fits the layer."""
        check_words(query, self.sizes.model_dim)
        mixed = is_mixed(self.latent, query)
        if not mixed and query.dtype != self.latent.weight.dtype:
            check_floats(latent_weight=self.latent.weight, x=query)
        if head_mask is not None:
            check_head_share(head_mask, query.shape[0], self.num_heads)

    @classmethod
    def from_huggingface(cls, module: Any) -> "LatentAttention":
        """A layer with the weights of Hugging Face's ``DeepseekV3Attention``.

        Raises:
            ValueError: it has what ours has not: biases, or another rotary encoding.
        """
        options, turn, parameters = cls.read(module)
        layer = cls(**options, rotary=RotaryEncoding(**turn)).to(module.o_proj.weight)
        set_parameters(layer, parameters)
        return layer.train(module.training)
