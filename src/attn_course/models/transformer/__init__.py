"""Transformer: an encoder, a decoder that reads it, and one table of vectors.

Public names, alike in ``pytorch`` and ``tf``:

    Transformer(vocab_size, num_layers, model_dim, num_heads, ff_dim, *,
                source_vocab_size=None, pad=0, norm="post", activation="relu",
                normalization="layer", dropout=0.0, eps=None)
        (source (B, S), target (B, T), source_mask=None, *, target_mask=None,
         need_weights=True)
        -> logits (B, T, N), (weights of the encoder, weights of the decoder)
        encode(source, source_mask=None) -> memory (B, S, D), weights
        decode(target, memory, source_mask=None, *, target_mask=None,
               need_weights=True, cache=None) -> logits (B, T, N), weights
        new_cache(memory, capacity)
        readable(source, source_mask=None) -> mask (B, 1, 1, S) for ``decode``
    label_smoothing(logits (..., N), targets (...), *, smoothing=0.1) -> loss (...)
    warm_up_rate(step, *, model_dim, warm_up_steps)

and in ``reference``: ``transformer``, ``label_smoothing``, ``warm_up_rate``. The layers
are ``attn_course.models.encoder`` and ``attn_course.models.decoder``; decoding, greedy
or with a beam, is ``attn_course.models.decoding``; a Transformer without an encoder is
``attn_course.models.language_model``.

    logits        decoder(embed(target), encoder(embed(source))) @ embedding.T
    embed(token)  embedding[token] * sqrt(D) + sinusoid[position]

The target is moved right: position t holds the token before the one that its logits
are about, and the first holds the begin token. ``source_mask`` and ``target_mask`` are
padding, (B, 1, 1, S) and (B, 1, 1, T). The source's is used twice: in the encoder, and
where the decoder looks across. Where the source holds ``pad`` nobody looks, with a mask
or without; at the end of a target padding is harmless, for no earlier word looks there.

Sizes: as in ``attn_course.models.encoder``. source_vocab_size: None shares one table
between source and target; a number gives the source its own. The output always shares
the target's. pad: the token that is padding, 0 unless told otherwise; None: no token.

Parameters (see ``attn_course.parity``): ``embedding.weight`` (N, D), where there is one
``source_embedding.weight``, ``encoder.*`` and ``decoder.*``.

Dropout acts on the embedded tokens too, in training only.

Sources: Vaswani et al. 2017 (arXiv:1706.03762), sections 3.1, 3.4, 5.3 and 5.4; Press &
Wolf 2017 (arXiv:1608.05859), the shared table; Szegedy et al. 2016 (arXiv:1512.00567),
section 7, label smoothing.
Differs: the paper says nothing of initial values; here the table is drawn with a
variance of 1 / D, so that embedded tokens and logits begin with a variance of about 1.
"""

from attn_course.core.declaration import SHARE, Form, Layer
from attn_course.models.feed_forward.shared import ACTIVATIONS, NORMALIZATIONS

SIZES = {"vocab_size": 11, "num_layers": 2}
SIZES |= {"model_dim": 26, "num_heads": 2, "ff_dim": 19}
OPTIONS = {
    "norm": ("post", "pre"),
    "activation": ACTIVATIONS,
    "normalization": tuple(NORMALIZATIONS),
    "dropout": SHARE,
}

LAYERS = (
    Layer(
        name="transformer",
        layer="Transformer",
        form=Form({"source": "BS", "target": "BT"}, "B11S"),
        sizes=SIZES,
        options=OPTIONS,
    ),
)
