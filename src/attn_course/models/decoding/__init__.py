"""Decoding: from a model that scores the next token to the tokens that it writes.

Public names, alike in ``pytorch`` and ``tf``:

    greedy_decode(model, source (B, S), *, source_mask=None, begin, end, max_length,
                  use_cache=True)
        -> tokens (B, max_length)
    beam_search(model, source (B, S), *, source_mask=None, begin, end, max_length,
                beam_size=4, length_penalty=0.6)
        -> tokens (B, beam_size, max_length), scores (B, beam_size), best first
    generate(model, prompt (B, T), *, mask=None, max_tokens, temperature=1.0,
             top_k=None, top_p=None, seed=None, end=None, cache=None)
        -> yields tokens (B), as they come

    greedy   token[t] = the likeliest token behind token[:t]
    beam     of all ways to go on from the beam_size hypotheses, the beam_size best

    generate chance = softmax(logits / temperature), of the top_k likeliest tokens,
             of the fewest that together have a chance of top_p; token ~ chance

    score(hypothesis) = log-probability / ((5 + length) / 6)^length_penalty

where length counts the end token. A hypothesis that has ended keeps its place in the
beam as long as its score is among the best, and goes on at no cost. With
length_penalty = 0 the score is the log-probability, which favors short hypotheses, for
every token makes it smaller. A beam of 1 is greedy.

- The begin token is not returned. Behind the first end token stand further ones.
- model: a ``Transformer``, an ``EncoderDecoder``, whose source_mask is (B, S), or
  another that has their ``encode``, ``decode`` and ``new_cache``, which gives pairs:
  what is kept of the tokens and can ``take(rows)``, and what is kept of the memory. Its
  mode (training or not) is the caller's: dropout would act.
- use_cache: with a cache every token is computed once; without, the whole prefix is
  computed again at every step. The tokens are the same. A beam always has a cache.
- One row's tokens do not depend on what else is in its batch.
- In Keras a step is one graph from 13 steps on, but with a state as cache; inside
  ``tf.function`` all three are refused.
- generate takes a ``LanguageModel``, or another with its call and ``new_cache``. It
  reads the prompt once, and keeps it in a cache; of ``LinearAttention`` and
  ``DeltaRuleAttention`` that is their state. Prompts of different lengths are
  padded on the left: mask (B, T), True = token. A temperature of 0 takes the likeliest
  token. With end, what has ended goes on with it, and all stops when all rows have
  ended. A seed gives the same tokens in both frameworks, row by row; a list of seeds,
  one a row, gives each row the tokens that it has alone. A cache that is given, in
  blocks for example, may have read something: the prompt is what follows.

Sources: Wu et al. 2016 (arXiv:1609.08144), section 7, equation 14, the length penalty
without its coverage term; Vaswani et al. 2017 (arXiv:1706.03762), section 6.1, beam 4
with a penalty of 0.6; Fan et al. 2018 (arXiv:1805.04833), section 5.1, top-k sampling;
Holtzman et al. 2020 (arXiv:1904.09751), section 3.1, nucleus (top-p) sampling.
"""
