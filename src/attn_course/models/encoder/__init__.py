"""Encoder: attention and a small network, each with a way around it.

Public names, alike in ``pytorch`` and ``tf``:

    EncoderLayer(model_dim, num_heads, ff_dim, *, norm="post", activation="relu",
                 normalization="layer", dropout=0.0, eps=None, attention=None)
        (x (B, T, D), mask=None, *, bias=None, causal=False, need_weights=True,
         head_mask=None, cache=None)
        -> output (B, T, D), weights (B, H, T, T)
        new_cache(batch, capacity); from_torch(module) in ``pytorch``
    Encoder(num_layers, model_dim, num_heads, ff_dim, *, norm, activation,
            normalization, dropout, eps, attention, bias=None, final_norm=None)
        the same call, without head_mask -> output, a tuple of weights, one per layer
        new_cache(batch, capacity); from_torch(module) in ``pytorch``

and in ``reference``: ``encoder_layer`` and ``encoder``. The network and the norms are
those of ``attn_course.models.feed_forward``.

    norm="post"   y = norm1(x + attention(x));  output = norm2(y + feed_forward(y))
    norm="pre"    y = x + attention(norm1(x));  output = y + feed_forward(norm2(y))
    norm="both"   y = x + norm1_behind(attention(norm1(x)))
                  output = y + norm2_behind(feed_forward(norm2(y)))

An Encoder of layers that begin with a norm ends with one more, ``final_norm``: nothing
else scales the sum of all the layers. ``final_norm=True`` and ``False`` ask for it, and
for none, whatever the layers are: ``torch.nn.Transformer`` always ends with one.

A decoder-only Transformer, GPT, is an Encoder that is called with ``causal=True``; with
``cache=`` of ``new_cache`` it reads on, token by token. With a table of tokens and
positions it is ``attn_course.models.language_model``.

Sizes:
    normalization: "layer" (with scale and bias, epsilon 1e-5), "layer_no_bias" or "rms"
        (a scale alone, epsilon 1e-5 and 1e-6). With the last two no linear map has a
        bias, as with ``bias=False`` in PyTorch.
    eps: another epsilon of all norms.
    activation: "relu", "gelu", "gelu_tanh", "silu", or with a gate "swiglu", "geglu",
        "geglu_tanh" (``attn_course.models.feed_forward``).
    attention: any layer over heads of the course, for an Encoder a function of the
        layer's number that makes one. None makes a ``MultiHeadAttention``.
    bias: a layer (T, S) -> (1, H, T, S), ``AlibiBias`` or ``RelativeBias``, whose bias
        all layers of an Encoder add to their scores, behind a cache too.

Parameters (see ``attn_course.parity``): ``attention.*``, ``norm1.scale``,
``norm1.bias``, ``feed_forward.0.weight`` (D, F), ``feed_forward.0.bias``,
``feed_forward.1.weight`` (F, D), ``feed_forward.1.bias``, with a gate
``feed_forward.gate.weight`` (D, F), ``norm2.*``, ``norm1_behind.*`` and
``norm2_behind.*`` where norms stand on both sides; in an Encoder behind ``layers.0.``
and so on, ``final_norm.*``, and ``bias.weight`` where a bias is learned.

Dropout acts on the weights, between the two maps of the network, and on what each part
adds; in training only.

Sources: Vaswani et al. 2017 (arXiv:1706.03762), sections 3.1 and 3.3; Ba, Kiros &
Hinton 2016 (arXiv:1607.06450); Xiong et al. 2020 (arXiv:2002.04745), pre-norm; Zhang &
Sennrich 2019 (arXiv:1910.07467), RMSNorm; Shazeer 2020 (arXiv:2002.05202), SwiGLU;
Gemma Team 2024 (arXiv:2408.00118), section 2, norms on both sides.
"""

from attn_course.core.declaration import SHARE, Form, Layer
from attn_course.models.feed_forward.shared import ACTIVATIONS, NORMALIZATIONS

SIZES = {"model_dim": 26, "num_heads": 2, "ff_dim": 19}
OPTIONS = {
    "norm": ("post", "pre", "both"),
    "activation": ACTIVATIONS,
    "normalization": tuple(NORMALIZATIONS),
    "dropout": SHARE,
}

READER = Form({"x": "BTD"}, "B11T")
LAYERS = (
    Layer(
        name="encoder_layer",
        layer="EncoderLayer",
        form=READER,
        sizes=SIZES,
        options=OPTIONS,
    ),
    Layer(
        name="encoder",
        layer="Encoder",
        form=READER,
        sizes=SIZES | {"num_layers": 2, "norm": "pre"},
        options=OPTIONS,
    ),
)
