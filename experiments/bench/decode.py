"""A step of decoding behind a long cache: one query, 32 heads of width 64, one example.

The ratios are of the attention of one token, without projections, but for the latent
rows, where a step of the whole layer is taken.
"""

from functools import partial

from experiments.bench import Row, side

HEADS, WIDTH = 32, 64


def _drawn(draw, kv_heads, positions):
    shapes = [(1, HEADS, 1, WIDTH), *[(1, kv_heads, positions, WIDTH)] * 2]
    return [draw(*shape) for shape in shapes]


def _grouped_torch(kv_heads, positions):
    from attn_course.core.frameworks import torch
    from attn_course.pytorch import grouped_query_attention
    from experiments.bench.pytorch import arrived, drawer

    inputs = _drawn(drawer(), kv_heads, positions)
    fused = torch.nn.functional.scaled_dot_product_attention

    @torch.no_grad()
    def ours():
        return grouped_query_attention(*inputs, causal=True, need_weights=False)[0]

    @torch.no_grad()
    def peer():
        return fused(*inputs, enable_gqa=True)

    return arrived(ours), arrived(peer)


def _grouped_tf(kv_heads, positions):
    from attn_course.core.frameworks import keras, tf
    from attn_course.tf import grouped_query_attention
    from experiments.bench.tf import arrived, drawer

    inputs = _drawn(drawer(), kv_heads, positions)
    # Keras has the heads after the positions, and repeats keys and values.
    swapped = [tf.transpose(x, (0, 2, 1, 3)) for x in inputs]

    @tf.function
    def attend(*inputs):
        return grouped_query_attention(*inputs, causal=True, need_weights=False)[0]

    @tf.function
    def repeat(query, *memory):
        repeated = [tf.repeat(x, HEADS // kv_heads, axis=2) for x in memory]
        return keras.ops.nn.dot_product_attention(query, *repeated)

    return arrived(lambda: attend(*inputs)), arrived(lambda: repeat(*swapped))


def _cache_torch(kv_heads, positions):
    """A step that writes into the cache, against one that makes it anew."""
    from attn_course.core.frameworks import torch
    from attn_course.pytorch import KVCache, grouped_query_attention
    from experiments.bench.pytorch import arrived, drawer

    query, key, value = _drawn(drawer(), kv_heads, positions)
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

    return arrived(ours), arrived(peer)


LATENT = {"latent_dim": 512, "rope_dim": 64, "key_dim": 64, "value_dim": 64}


def _latent(framework, positions):
    own = side(framework)
    own.seed()
    layer = own.FACE.LatentAttention(256, HEADS, **LATENT)
    x, cache = own.drawer()(1, positions, 256), layer.new_cache(1, positions)
    options = {"cache": cache, "need_weights": False}
    own.compiled(lambda: layer(x[:, :-1], absorbed=True, **options))()

    def form(absorbed):
        def step():
            own.rewind(cache, positions - 1)
            return layer(x[:, -1:], absorbed=absorbed, **options)[0]

        return own.arrived(own.compiled(step))

    return form(absorbed=True), form(absorbed=False)


GROUPED = {
    "PyTorch": (_grouped_torch, "F.scaled_dot_product_attention(enable_gqa=True)"),
    "TensorFlow": (_grouped_tf, "keras.ops.nn.dot_product_attention, keys repeated"),
}
GOALS = {8: 1 / 1.3, 1: 1 / 3}
ROWS = [
    *(
        Row(
            f"decode, {framework}, {kv_heads} of 32 key heads, {{n}} positions",
            GROUPED[framework][1],
            partial(GROUPED[framework][0], kv_heads),
            GOALS[kv_heads] if framework == "PyTorch" else None,
            positions,
            mechanism="grouped_query_attention",
        )
        for framework, lengths in (("PyTorch", (4096, 16384)), ("TensorFlow", (4096,)))
        for kv_heads in GOALS
        for positions in lengths
    ),
    *(
        Row(
            f"decode, cached, PyTorch, {kv_heads} of 32 key heads, {{n}} positions",
            "a cache that torch.cat makes anew",
            partial(_cache_torch, kv_heads),
            1 / 1.8,
            4096,
        )
        for kv_heads in (32, 8)
    ),
    *(
        Row(
            f"decode with a latent, absorbed, {framework}, {{n}} positions",
            *("the naive form", partial(_latent, framework), goal, 1024),
            mechanism="latent_attention",
        )
        for framework, goal in (("PyTorch", 1 / 8), ("TensorFlow", None))
    ),
]
