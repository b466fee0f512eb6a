"""Language model: causal layers and one table, no encoder, as in GPT.

Public names, alike in ``pytorch`` and ``tf``:

    LanguageModel(vocab_size, num_layers, model_dim, num_heads, ff_dim, *, norm="pre",
                  activation="gelu", normalization="layer", dropout=0.0, eps=None,
                  attention=None, positions="rotary", embedding_scale=None)
        (tokens (B, T), mask=None, *, positions=None, need_weights=True, cache=None)
        -> logits (B, T, N), the weights (B, H, T, S) of every layer
        new_cache(batch, capacity)
        of Keras a ``keras.Model``: ``fit(tokens, next_tokens)``, ``save`` ...

and in ``reference``: ``language_model``. What writes a text with it is ``generate``
(``attn_course.models.decoding``).

    logits        encoder(embed(tokens), causal) @ embedding.T
    embed(token)  embedding[token] * sqrt(D), and where positions are added, those

Unless told otherwise it is what decoders are today: norms before, rotary positions,
GELU. The paper's choices, which ``Transformer`` keeps, are ``norm="post"``,
``activation="relu"`` and ``positions="sinusoidal"``. The layers are an ``Encoder``
called with ``causal=True``, which is what others call a decoder-only Transformer.

Sizes: as in ``attn_course.models.encoder``.
    attention: a function of a layer's number that makes its attention, for example
        ``lambda number: GroupedQueryAttention(512, 8, num_kv_heads=2)``.
    positions: "rotary", in every layer; "alibi", a bias on every score; "sinusoidal",
        added to the embedded tokens; None: no positions but the causal mask, or those
        that stand in ``attention``, beside which "rotary" is refused. Or a layer:
        ``LearnedEncoding(max_length, D)``, ``RotaryEncoding(key_dim, base=...)``,
        ``RelativeBias(H, bidirectional=False)``.
    embedding_scale: in place of sqrt(D); GPT-2's and Llama's is 1.

Call: mask (B, 1, 1, S) is padding, or ``document_numbers`` where the attention takes
them; ``document_mask`` where it sees all keys. positions, integers (B, T): where each
token stands, for an encoding that is added; rotary encodings and biases know distances
alone. None counts the words, and where there is padding on the left begins behind it.

Parameters (see ``attn_course.parity``): ``embedding.weight`` (N, D), ``stack.*``, an
Encoder, and where positions are learned ``encoding.*`` or ``stack.bias.*``.

Sources: Radford et al. 2018, "Improving language understanding by generative
pre-training", section 3.1; Press & Wolf 2017 (arXiv:1608.05859), the shared table.
Differs: GPT's positions are learned, its norms stand behind.
"""

from attn_course.core.declaration import SHARE, Form, Layer

LAYERS = (
    Layer(
        name="language_model",
        layer="LanguageModel",
        form=Form({"tokens": "BT"}, "B11T"),
        sizes={
            "vocab_size": 11,
            "num_layers": 2,
            "model_dim": 28,
            "num_heads": 2,
            "ff_dim": 19,
        },
        options={"norm": ("post", "pre", "both"), "dropout": SHARE},
    ),
)
