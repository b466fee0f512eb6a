"""How long a token takes behind a long context, and how many bytes it reads.

One step of decoding: the attention of one new token in one layer of 32 heads of width
64, with the cache of one sequence. MHA, GQA with 8 heads of key and value, MQA, and
latent attention (512 + 64 numbers per position) in its absorbed form.

python -m experiments.decode --seeds 0 1 2
"""

import time
from functools import partial

import numpy as np

HEADS, WIDTH, LATENT, TURNED = 32, 64, 512, 64
CONTEXTS = (1024, 2048, 4096, 8192, 16384)
KV_HEADS = {"MHA": HEADS, "GQA-8": 8, "MQA": 1}
KINDS = (*KV_HEADS, "MLA")
ROUNDS = 15


def cached(kind, context, size=4):
    """The bytes of keys and values that a step reads."""
    if kind == "MLA":
        return context * (LATENT + TURNED) * size
    return context * KV_HEADS[kind] * 2 * WIDTH * size


def products(kind, context):
    """Multiplications and additions of scores and averages, for all heads."""
    width = (LATENT + TURNED) + LATENT if kind == "MLA" else 2 * WIDTH
    return 2 * HEADS * context * width


def milliseconds(step, rounds=ROUNDS):
    """The median of some rounds, after one that does not count.

    Time of the thread, which other programs on the machine don't lengthen.
    """
    step()
    times = []
    for _ in range(rounds):
        begin = time.thread_time()
        step()
        times.append(1e3 * (time.thread_time() - begin))
    return float(np.median(times))


def make_step(own, kind, context, *, batch=1, dtype=None):
    """A step behind ``context`` positions, and the bytes of its cache.

    own: ``decode.pytorch.OWN`` or ``decode.tf.OWN``, what each framework has.
    """
    if kind == "MLA":
        return latent_step(own, context, batch=batch, dtype=dtype)
    heads, draw = KV_HEADS[kind], partial(own.draw, dtype)
    cache = own.cache(dtype, batch, heads, context, WIDTH)
    cache.update(*draw(2, batch, heads, context - 1, WIDTH))
    query = draw(batch, HEADS, 1, WIDTH)
    new = draw(2, batch, heads, 1, WIDTH)

    def step():
        own.rewind(cache, context - 1)
        options = {"causal": True, "need_weights": False}
        return own.attend(query, *cache.update(*new), **options)[0]

    return own.compiled(step), cache.nbytes


def latent_step(own, context, *, batch=1, dtype=None):
    """The same with latents, absorbed: they are keys and values at once."""
    width, draw = LATENT + TURNED, partial(own.draw, dtype)
    cache = own.cache(dtype, batch, 1, context, width, 0)
    past = draw(batch, 1, context - 1, width)
    cache.update(past, past[..., :0])
    query, up = draw(batch, HEADS, 1, WIDTH + TURNED), draw(HEADS, WIDTH, LATENT)
    down, new = draw(HEADS, LATENT, WIDTH), draw(batch, 1, 1, width)

    def step():
        own.rewind(cache, context - 1)
        inside = own.einsum("bhtk,hkr->bhtr", query[..., :WIDTH], up)
        inside = own.concat([inside, query[..., WIDTH:]], -1)
        entry, _ = cache.update(new, new[..., :0])
        options = {"scale": (WIDTH + TURNED) ** -0.5, "need_weights": False}
        given = inside, entry, entry[..., :LATENT]
        found, _ = own.attend(*given, causal=True, **options)
        return own.einsum("bhtr,hrv->bhtv", found, down)

    return own.compiled(step), cache.nbytes
