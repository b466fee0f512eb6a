"""The steps of ``attn_course.course.labs.decode`` in PyTorch."""

from functools import partial

from attn_course.core.frameworks import torch
from attn_course.course.labs.decode import HEADS, LATENT, TURNED, WIDTH, milliseconds
from attn_course.pytorch import KVCache, grouped_query_attention


def make_step(kind, context, *, batch=1, dtype=None):
    """A step behind ``context`` positions, and the bytes of its cache."""
    if kind == "MLA":
        return latent_step(context, batch=batch, dtype=dtype)
    heads = {"MHA": HEADS, "GQA-8": 8, "MQA": 1}[kind]
    draw = partial(torch.randn, dtype=dtype)
    cache = KVCache(batch, heads, context, WIDTH, dtype=dtype)
    cache.update(*draw(2, batch, heads, context - 1, WIDTH))
    query = draw(batch, HEADS, 1, WIDTH)
    new = draw(2, batch, heads, 1, WIDTH)

    @torch.no_grad()
    def step():
        cache.length = context - 1
        options = {"causal": True, "need_weights": False}
        return grouped_query_attention(query, *cache.update(*new), **options)[0]

    return step, cache.nbytes


def latent_step(context, *, batch=1, dtype=None):
    """The same with latents, absorbed: they are keys and values at once."""
    width, draw = LATENT + TURNED, partial(torch.randn, dtype=dtype)
    cache = KVCache(batch, 1, context, width, 0, dtype=dtype)
    past = draw(batch, 1, context - 1, width)
    cache.update(past, past[..., :0])
    query, up = draw(batch, HEADS, 1, WIDTH + TURNED), draw(HEADS, WIDTH, LATENT)
    down, new = draw(HEADS, LATENT, WIDTH), draw(batch, 1, 1, width)

    @torch.no_grad()
    def step():
        cache.length = context - 1
        inside = torch.einsum("bhtk,hkr->bhtr", query[..., :WIDTH], up)
        inside = torch.cat([inside, query[..., WIDTH:]], dim=-1)
        entry, _ = cache.update(new, new[..., :0])
        options = {"scale": (WIDTH + TURNED) ** -0.5, "need_weights": False}
        latents = entry[..., :LATENT]
        context_, _ = grouped_query_attention(
            inside, entry, latents, causal=True, **options
        )
        return torch.einsum("bhtr,hrv->bhtv", context_, down)

    return step, cache.nbytes


def thread():
    """What one thread of this machine does: GB read and GFLOP multiplied a second."""
    numbers, square = torch.randn(1 << 26), torch.randn(1024, 1024)
    read = 4 * numbers.numel() / milliseconds(numbers.sum) / 1e6
    multiplied = 2 * 1024**3 / milliseconds(lambda: square @ square) / 1e6
    return {"read_gb": round(read, 1), "gflop": round(multiplied, 1)}
