"""Decoder: its own words so far, what the encoder read, and a small network.

Public names, alike in ``pytorch`` and ``tf``:

    DecoderLayer(model_dim, num_heads, ff_dim, *, norm="post", activation="relu",
                 normalization="layer", dropout=0.0, eps=None, attention=None,
                 cross_attention=None)
        (x (B, T, D), memory (B, S, E), memory_mask=None, *,
         target_mask=None, bias=None, need_weights=True, cache=None)
        -> output (B, T, D), (weights (B, H, T, T), weights (B, H, T, S))
        new_cache(memory, capacity); from_torch(module) in ``pytorch``
    Decoder(num_layers, model_dim, num_heads, ff_dim, *, the same, bias=None,
            final_norm=None)
        the same call -> output, a tuple of such pairs, one per layer
        new_cache and from_torch, as there

and in ``reference``: ``decoder_layer`` and ``decoder``.

    norm="post"   y = norm1(x + attention(x))
                  z = norm2(y + cross_attention(y, memory))
                  output = norm3(z + feed_forward(z))
    norm="pre"    y = x + attention(norm1(x))
                  z = y + cross_attention(norm2(y), memory)
                  output = z + feed_forward(norm3(z))

Self-attention is causal without being asked: position t sees positions up to t.
``memory_mask`` and ``target_mask`` are padding, (B, 1, 1, S) and (B, 1, 1, T). With a
cache x holds new positions alone, and target_mask covers all so far.

Sizes: as in ``attn_course.models.encoder``. attention, cross_attention: layers over
heads, for a Decoder functions of the layer's number that make one; what crosses has
to take a memory. bias: a layer (T, S) -> (1, H, T, S) whose bias all self-attention
adds, as ``RelativeBias(num_heads, bidirectional=False)`` in T5.

Parameters (see ``attn_course.parity``): in a layer ``attention.*``, ``norm1.*``,
``cross_attention.*``, ``norm2.*``, ``feed_forward.*``, ``norm3.*``; in a Decoder behind
``layers.0.`` and so on, and ``final_norm.*``, as in an Encoder.

Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.1; Xiong et al. 2020
(arXiv:2002.04745), pre-norm.
"""

from attn_course.core.declaration import SHARE, Form, Layer
from attn_course.models.feed_forward.shared import ACTIVATIONS, NORMALIZATIONS

SIZES = {"model_dim": 26, "num_heads": 2, "ff_dim": 19}
OPTIONS = {
    "norm": ("post", "pre"),
    "activation": ACTIVATIONS,
    "normalization": tuple(NORMALIZATIONS),
    "dropout": SHARE,
}

READER = Form({"x": "BTD", "memory": "BSD"}, "B11S", blocked=("memory",))
LAYERS = (
    Layer(
        name="decoder_layer",
        layer="DecoderLayer",
        form=READER,
        sizes=SIZES,
        options=OPTIONS,
    ),
    Layer(
        name="decoder",
        layer="Decoder",
        form=READER,
        sizes=SIZES | {"num_layers": 2, "norm": "pre"},
        options=OPTIONS,
    ),
)
