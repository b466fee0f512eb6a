"""A step of decoding behind a long cache: one query, 32 heads of width 64, one example.

The ratios are of the attention of one token, without projections, but for the latent
rows, where a step of the whole layer is taken.
"""

import numpy as np

from attn_course.bench import Row

HEADS, WIDTH = 32, 64


def _draw(kv_heads, positions):
    rng = np.random.default_rng(0)
    shapes = [(1, HEADS, 1, WIDTH), *[(1, kv_heads, positions, WIDTH)] * 2]
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def _grouped_torch(kv_heads, positions):
    from attn_course.frameworks import torch
    from attn_course.pytorch import grouped_query_attention

    inputs = [torch.from_numpy(x) for x in _draw(kv_heads, positions)]
    fused = torch.nn.functional.scaled_dot_product_attention

    @torch.no_grad()
    def ours():
        return grouped_query_attention(*inputs, causal=True, need_weights=False)[0]

    @torch.no_grad()
    def peer():
        return fused(*inputs, enable_gqa=True)

    return ours, peer


def _grouped_tf(kv_heads, positions):
    from attn_course.frameworks import keras, tf
    from attn_course.tf import grouped_query_attention

    arrays = _draw(kv_heads, positions)
    inputs = [tf.constant(x) for x in arrays]
    # Keras has the heads after the positions, and repeats keys and values.
    swapped = [tf.constant(x.swapaxes(1, 2)) for x in arrays]

    @tf.function
    def attend(*inputs):
        return grouped_query_attention(*inputs, causal=True, need_weights=False)[0]

    @tf.function
    def repeat(query, *memory):
        repeated = [tf.repeat(x, HEADS // kv_heads, axis=2) for x in memory]
        return keras.ops.nn.dot_product_attention(query, *repeated)

    return lambda: attend(*inputs).numpy(), lambda: repeat(*swapped).numpy()


def _cache_torch(kv_heads, positions):
    """A step that writes into the cache, against one that makes it anew."""
    from attn_course.frameworks import torch
    from attn_course.pytorch import KVCache, grouped_query_attention

    query, key, value = (torch.from_numpy(x) for x in _draw(kv_heads, positions))
    past = key[:, :, :-1].contiguous(), value[:, :, :-1].contiguous()
    new = key[:, :, -1:], value[:, :, -1:]
    cache = KVCache(1, kv_heads, positions, WIDTH)
    cache.update(*past)

    @torch.no_grad()
    def ours():
        cache.length = positions - 1
        options = {"causal": True, "need_weights": False}
        return grouped_query_attention(query, *cache.update(*new), **options)[0]

    @torch.no_grad()
    def peer():
        joined = [torch.cat(pair, dim=2) for pair in zip(past, new, strict=True)]
        options = {"causal": True, "need_weights": False}
        return grouped_query_attention(query, *joined, **options)[0]

    return ours, peer


LATENT = {"latent_dim": 512, "rope_dim": 64, "key_dim": 64, "value_dim": 64}


def _latent_torch(positions):
    from attn_course.frameworks import torch
    from attn_course.pytorch import LatentAttention

    torch.manual_seed(0)
    layer = LatentAttention(256, HEADS, **LATENT)
    x = torch.randn(1, positions, 256)
    cache = layer.new_cache(1, positions)

    @torch.no_grad()
    def step(absorbed):
        cache.length = positions - 1
        options = {"cache": cache, "need_weights": False, "absorbed": absorbed}
        return layer(x[:, -1:], **options)[0]

    with torch.no_grad():
        layer(x[:, :-1], cache=cache, need_weights=False, absorbed=True)
    return lambda: step(absorbed=True), lambda: step(absorbed=False)


def _latent_tf(positions):
    from attn_course.frameworks import keras, tf
    from attn_course.tf import LatentAttention

    keras.utils.set_random_seed(0)
    layer = LatentAttention(256, HEADS, **LATENT)
    x = tf.random.normal((1, positions, 256))
    cache = layer.new_cache(1, positions)
    layer(x[:, :-1], cache=cache, need_weights=False, absorbed=True)

    def form(absorbed):
        @tf.function
        def step():
            cache.length.assign(positions - 1)
            options = {"cache": cache, "need_weights": False, "absorbed": absorbed}
            return layer(x[:, -1:], **options)[0]

        return lambda: step().numpy()

    return form(absorbed=True), form(absorbed=False)


ROWS = [
    *(
        Row(
            f"decode, PyTorch, {kv_heads} of 32 key heads, {positions} positions",
            "F.scaled_dot_product_attention(enable_gqa=True)",
            lambda kv_heads=kv_heads, positions=positions: _grouped_torch(
                kv_heads, positions
            ),
            goal,
        )
        for kv_heads, goal in ((8, 1 / 1.3), (1, 1 / 3))
        for positions in (4096, 16384)
    ),
    *(
        Row(
            f"decode, TensorFlow, {kv_heads} of 32 key heads, 4096 positions",
            "keras.ops.nn.dot_product_attention, keys repeated",
            lambda kv_heads=kv_heads: _grouped_tf(kv_heads, 4096),
            None,
        )
        for kv_heads in (8, 1)
    ),
    *(
        Row(
            f"decode with a cache, PyTorch, {kv_heads} of 32 key heads, 4096 positions",
            "a cache that torch.cat makes anew",
            lambda kv_heads=kv_heads: _cache_torch(kv_heads, 4096),
            1 / 1.8,
        )
        for kv_heads in (32, 8)
    ),
    Row(
        "decode with a latent, absorbed, PyTorch, 1024 positions",
        "the naive form",
        lambda: _latent_torch(1024),
        1 / 8,
    ),
    Row(
        "decode with a latent, absorbed, TensorFlow, 1024 positions",
        "the naive form",
        lambda: _latent_tf(1024),
        None,
    ),
]
