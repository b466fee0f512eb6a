"""The small network of a Transformer's layer, and the norms beside it.

Public names, alike in ``pytorch`` and ``tf``:

    FeedForward(model_dim, ff_dim, *, activation="relu", use_bias=True, dropout=0.0)
        (x (B, T, D)) -> (B, T, D)

and in ``reference``: ``feed_forward``, ``layer_norm`` and ``rms_norm``. In the
frameworks the norms are the library's own.

    relu, gelu    activation(x @ W_0 + b_0) @ W_1 + b_1
    swiglu        (silu(x @ W_gate) * (x @ W_0)) @ W_1

Sizes:
    activation: "relu", "gelu" (the exact one, by erf) or "swiglu", whose three maps
        have no bias.

Parameters (see ``attn_course.parity``): ``0.weight`` (D, F), ``0.bias`` (F),
``1.weight`` (F, D), ``1.bias`` (D), with swiglu ``gate.weight`` (D, F); of a norm
``scale`` (D), ``bias`` (D).

Sources: Vaswani et al. 2017 (arXiv:1706.03762), section 3.3; Ba, Kiros & Hinton 2016
(arXiv:1607.06450); Zhang & Sennrich 2019 (arXiv:1910.07467), RMSNorm; Shazeer 2020
(arXiv:2002.05202), SwiGLU.
"""
