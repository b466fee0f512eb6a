"""Speculative decoding: a cheap guess of some tokens, checked in one pass of the model.

Public names, alike in ``pytorch`` and ``tf``:

    speculative_generate(model, prompt (1, T), *, draft, num_draft=4, max_tokens,
                         temperature=1.0, top_k=None, top_p=None, seed=None, end=None,
                         cache=None)
        -> yields Pass(tokens, drafted, accepted), a list and two counts, as they come

and in ``reference``, which both frameworks call:

    accept_drafts(p (g + 1, N), q (g, N), drafted, uniforms (g + 1)) -> tokens
    ngram_draft(tokens, count, *, longest=3) -> drafted, None

    draft   g tokens, each sampled from q[i]
    check   one pass over the last token and the g drafts gives p[0] .. p[g]
    accept  draft i with a chance of min(1, p[i] / q[i]); at the first refusal sample
            from max(p[i] - q[i], 0); with none, one token more from p[g]
    back    the cache is cut behind what stands: the keys of refused drafts go

The tokens have the distribution of ``generate``'s, whatever the draft is; at a
temperature of 0 they are the same tokens. A pass gives 1 to num_draft + 1 of them, and
if every draft were accepted with one chance a, independently, on average

    (1 - a^(g + 1)) / (1 - a)

- draft: a model with the same tokens and a cache of its own, which samples as the model
  does; or a function (tokens so far, count) -> at most count tokens, and the chances
  (n, N) that they were sampled from, or None where none was: ``ngram_draft``.
- A cache goes back by ``truncate``: whole, in blocks, in fewer bits (``cache=``; the
  draft's is its ``new_cache``). A window and a state (``LinearAttention``,
  ``DeltaRuleAttention``) can't, and are refused.
- The model as its own draft has all its drafts accepted, but for rounding. That is a
  test: a cache that keeps refused keys gives right tokens still, but worse drafts.
- Floating point: a pass of many tokens adds in another order than passes of one, so
  that tokens that are equally likely to the last bits may change places.
- One row: each would accept another number of drafts.
- A seed gives the same tokens in both frameworks; others than ``generate`` draws.

Sources: Leviathan et al. 2023 (arXiv:2211.17192); Chen et al. 2023 (arXiv:2302.01318);
n-grams: Saxena 2023, prompt lookup decoding.
"""
