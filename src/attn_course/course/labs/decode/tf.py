"""The steps of ``attn_course.course.labs.decode`` in TensorFlow."""

from functools import partial

from attn_course.core.frameworks import tf
from attn_course.course.labs.decode import HEADS, LATENT, TURNED, WIDTH
from attn_course.tf import KVCache, grouped_query_attention


def make_step(kind, context, *, batch=1, dtype=None):
    """A step behind ``context`` positions, and the bytes of its cache."""
    dtype = dtype or tf.float32
    if kind == "MLA":
        return latent_step(context, batch=batch, dtype=dtype)
    heads = {"MHA": HEADS, "GQA-8": 8, "MQA": 1}[kind]
    draw = partial(tf.random.normal, dtype=dtype)
    cache = KVCache(batch, heads, context, WIDTH, dtype=dtype.name)
    past = draw((2, batch, heads, context - 1, WIDTH))
    cache.update(past[0], past[1])
    query = draw((batch, HEADS, 1, WIDTH))
    new = draw((2, batch, heads, 1, WIDTH))

    @tf.function
    def step():
        cache.length.assign(context - 1)
        options = {"causal": True, "need_weights": False}
        keys = cache.update(new[0], new[1])
        return grouped_query_attention(query, *keys, **options)[0]

    return step, cache.nbytes


def latent_step(context, *, batch=1, dtype=None):
    """The same with latents, absorbed: they are keys and values at once."""
    dtype = dtype or tf.float32
    width, draw = LATENT + TURNED, partial(tf.random.normal, dtype=dtype)
    cache = KVCache(batch, 1, context, width, 0, dtype=dtype.name)
    past = draw((batch, 1, context - 1, width))
    cache.update(past, past[..., :0])
    query, up = draw((batch, HEADS, 1, WIDTH + TURNED)), draw((HEADS, WIDTH, LATENT))
    down, new = draw((HEADS, LATENT, WIDTH)), draw((batch, 1, 1, width))

    @tf.function
    def step():
        cache.length.assign(context - 1)
        inside = tf.einsum("bhtk,hkr->bhtr", query[..., :WIDTH], up)
        inside = tf.concat([inside, query[..., WIDTH:]], axis=-1)
        entry, _ = cache.update(new, new[..., :0])
        options = {"scale": (WIDTH + TURNED) ** -0.5, "need_weights": False}
        latents = entry[..., :LATENT]
        context_, _ = grouped_query_attention(
            inside, entry, latents, causal=True, **options
        )
        return tf.einsum("bhtr,hrv->bhtv", context_, down)

    return step, cache.nbytes
