"""Feed-forward network: the small one of a Transformer's layer, and the norms.

Public names, alike in ``pytorch`` and ``tf``:

    FeedForward(model_dim, ff_dim, *, activation="relu", use_bias=True, dropout=0.0)
        (x (B, T, D)) -> (B, T, D)

and in ``reference``: ``feed_forward``, ``layer_norm`` and ``rms_norm``. In the
frameworks the norms are the library's own.

    relu, gelu, gelu_tanh, silu    activation(x @ W_0 + b_0) @ W_1 + b_1
    swiglu                         (silu(x @ W_gate) * (x @ W_0)) @ W_1
    geglu, geglu_tanh              (gelu(x @ W_gate) * (x @ W_0)) @ W_1

Sizes:
    activation: "relu", "gelu" (the exact one, by erf), "gelu_tanh" (its approximation
        by tanh, as in GPT-2), "silu", or one with a gate, "swiglu", "geglu",
        "geglu_tanh" (as in Gemma), whose three maps have no bias.

Parameters (see ``attn_course.parity``): ``0.weight`` (D, F), ``0.bias`` (F),
``1.weight`` (F, D), ``1.bias`` (D), with a gate ``gate.weight`` (D, F); of a norm
``scale`` (D), ``bias`` (D).

Sources: Vaswani et al. 2017 (arXiv:1706.03762), section 3.3; Ba, Kiros & Hinton 2016
(arXiv:1607.06450); Zhang & Sennrich 2019 (arXiv:1910.07467), RMSNorm; Shazeer 2020
(arXiv:2002.05202), SwiGLU and GEGLU; Hendrycks & Gimpel 2016 (arXiv:1606.08415),
section 2, GELU, its approximation and SiLU.
"""

from attn_course.core.declaration import ENCODING, FLAG, SHARE, Layer
from attn_course.models.feed_forward.shared import ACTIVATIONS

LAYERS = (
    Layer(
        name="feed_forward",
        layer="FeedForward",
        form=ENCODING,
        sizes={"model_dim": 13, "ff_dim": 19, "activation": "gelu"},
        options={"activation": ACTIVATIONS, "use_bias": FLAG, "dropout": SHARE},
    ),
)
