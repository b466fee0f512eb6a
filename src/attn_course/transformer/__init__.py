"""The Transformer: an encoder, a decoder that reads it, and one table of vectors.

Public names, alike in ``pytorch`` and ``tf``:

    Transformer(vocab_size, num_layers, model_dim, num_heads, ff_dim, *,
                source_vocab_size=None, norm="post", activation="relu",
                normalization="layer", dropout=0.0)
        (source (B, S), target (B, T), source_mask=None, *, target_mask=None,
         need_weights=True)
        -> logits (B, T, N), (weights of the encoder, weights of the decoder)
        encode(source, source_mask=None) -> memory (B, S, D), weights
        decode(target, memory, source_mask=None, *, target_mask=None,
               need_weights=True, cache=None) -> logits (B, T, N), weights
        new_cache(memory, capacity)
    LanguageModel(vocab_size, num_layers, model_dim, num_heads, ff_dim, *, the same
                  but for source_vocab_size)
        (tokens (B, T), mask=None, *, need_weights=True)
        -> logits (B, T, N), weights: a Transformer without an encoder
    label_smoothing(logits (..., N), targets (...), *, smoothing=0.1) -> loss (...)
    warm_up_rate(step, *, model_dim, warm_up_steps)

and in ``reference``: ``transformer``, ``language_model``, ``label_smoothing``,
``warm_up_rate``. The layers are ``attn_course.encoder`` and ``attn_course.decoder``;
decoding, greedy or with a beam, is ``attn_course.decoding``.

    logits        decoder(embed(target), encoder(embed(source))) @ embedding.T
    embed(token)  embedding[token] * sqrt(D) + sinusoid[position]

The target is moved right: position t holds the token before the one that its logits
are about, and the first holds the begin token. ``source_mask`` and ``target_mask`` are
padding, (B, 1, 1, S) and (B, 1, 1, T). The source's is used twice: in the encoder, and
where the decoder looks across.

Sizes: as in ``attn_course.encoder``. source_vocab_size: None shares one table between
source and target; a number gives the source its own. The output always shares the
target's.

Parameters (see ``attn_course.parity``): ``embedding.weight`` (N, D), where there is one
``source_embedding.weight``, ``encoder.*`` and ``decoder.*``; in a LanguageModel
``embedding.weight`` and ``stack.*``, an Encoder.

Dropout acts on the embedded tokens too, in training only.

Sources: Vaswani et al. 2017 (arXiv:1706.03762), sections 3.1, 3.4, 5.3 and 5.4; Press &
Wolf 2017 (arXiv:1608.05859), the shared table; Szegedy et al. 2016 (arXiv:1512.00567),
section 7, label smoothing.
Differs: the paper says nothing of initial values; here the table is drawn with a
variance of 1 / D, so that embedded tokens and logits begin with a variance of about 1.
"""
