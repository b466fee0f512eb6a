"""The Transformer's encoder: attention and a small network, each with a way around it.

Public names, alike in ``pytorch`` and ``tf``:

    EncoderLayer(model_dim, num_heads, ff_dim, *, norm="post", activation="relu",
                 normalization="layer", dropout=0.0, attention=None)
        (x (B, T, D), mask=None, *, bias=None, causal=False, need_weights=True,
         head_mask=None, cache=None)
        -> output (B, T, D), weights (B, H, T, T)
        from_torch(module) in ``pytorch``
    Encoder(num_layers, model_dim, num_heads, ff_dim, *, norm, activation,
            normalization, dropout, attention)
        the same call, without head_mask -> output, a tuple of weights, one per layer

and in ``reference``: ``encoder_layer`` and ``encoder``. The network and the norms are
those of ``attn_course.feed_forward``.

    norm="post"   y = norm1(x + attention(x));  output = norm2(y + feed_forward(y))
    norm="pre"    y = x + attention(norm1(x));  output = y + feed_forward(norm2(y))

An Encoder of pre-norm layers ends with one more norm, ``final_norm``: nothing else
scales the sum of all the layers.

Sizes:
    normalization: "layer" (with scale and bias, epsilon 1e-5) or "rms" (a scale alone,
        epsilon 1e-6). With "rms" no linear map has a bias.
    activation: "relu", "gelu" or "swiglu".
    attention: any layer over heads of the course, for an Encoder a function of the
        layer's number that makes one. None makes a ``MultiHeadAttention``.

Parameters (see ``attn_course.parity``): ``attention.*``, ``norm1.scale``,
``norm1.bias``, ``feed_forward.0.weight`` (D, F), ``feed_forward.0.bias``,
``feed_forward.1.weight`` (F, D), ``feed_forward.1.bias``, with swiglu
``feed_forward.gate.weight`` (D, F), ``norm2.*``; in an Encoder behind ``layers.0.`` and
so on, and ``final_norm.*``.

Dropout acts on the weights, between the two maps of the network, and on what each part
adds; in training only.

Sources: Vaswani et al. 2017 (arXiv:1706.03762), sections 3.1 and 3.3; Ba, Kiros &
Hinton 2016 (arXiv:1607.06450); Xiong et al. 2020 (arXiv:2002.04745), pre-norm; Zhang &
Sennrich 2019 (arXiv:1910.07467), RMSNorm; Shazeer 2020 (arXiv:2002.05202), SwiGLU.
"""
