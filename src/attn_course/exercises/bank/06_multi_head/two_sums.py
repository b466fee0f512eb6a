"""No loop, no reshape: heads are an axis of the parameters, query_weight and key_weight
(H, D, K), value_weight (H, D, V), output_weight (H, V, D). Write `subscripts()`, which
returns two texts for np.einsum. One makes the scores (B, H, T, S), not divided, of x
(B, T, D), query_weight, memory (B, S, D), key_weight; one the output (B, T, D) of
weights (B, H, T, S), memory, value_weight, output_weight.

1. A letter stands for an axis. Which axes may be summed: which letters are missing
   behind the arrow?
2. x and memory are both D wide, but each is multiplied by its own matrix: two letters.
3. The first begins with btd,hdk,bse; its result is bhts. In the second h stands in
   three inputs and not in the result.
"""

title = "a puzzle: all heads in two einsums"
level, minutes = 3, 15
kind = "open"
before = "06.two_heads"


def measure(results):
    """What the two sums give, on arrays of different sizes."""
    texts = [str(text) for each in results for text in np.ravel(each)]
    if len(texts) != 2:
        raise Refused(f"return two texts, as 'ij,jk->ik'; these are {len(texts)}")
    rng, found = np.random.default_rng(0), []
    B, H, T, S, D, K, V = 2, 3, 5, 7, 4, 6, 8
    x, memory, weights = (B, T, D), (B, S, D), (B, H, T, S)
    first = x, (H, D, K), memory, (H, D, K)
    second = weights, memory, (H, D, V), (H, V, D)
    for text, sizes in zip(texts, (first, second), strict=True):
        given = [rng.normal(size=size) for size in sizes]
        try:
            found.append(np.einsum(text, *given, optimize=True))
        except Exception as error:
            raise Refused(f"einsum does not take {text[:40]!r}: {error}") from None
    return tuple(found)


def cases(rng):
    return [Case("sizes that differ", ())]


# %% solution
def subscripts():
    ...  # return two texts
    score = "btd,hdk,bse,hek->bhts"
    output = "bhts,bse,hev,hvd->btd"
    return score, output


# %% mistake: each score has a head: h stays behind the arrow
score = "btd,hdk,bse,hek->bts"
# %% mistake: x and memory meet in K, not in D: each needs a letter of its own for D
score = "btd,hdk,bsd,hdk->bhts"
# %% mistake: a text looks at its own memory: b stands in both
score = "btd,hdk,cse,hek->bhts"
# %% mistake: a head's queries meet the keys of all heads
score = "btd,hdk,bse,gek->bhts"
# %% mistake: query and key meet in K: each sums its own before
score = "btd,hdk,bse,hel->bhts"
# %% mistake: the scores are (B, H, T, S): t before s
score = "btd,hdk,bse,hek->bhst"
# %% mistake: the heads are added up: h is not behind the arrow
output = "bhts,bse,hev,hvd->bhtd"
# %% mistake: the weights of all texts are mixed: b stands in both
output = "bhts,cse,hev,hvd->btd"
# %% mistake: each head has an output matrix of its own
output = "bhts,bse,hev,gvd->btd"
# %% mistake: the output matrix has V rows that belong to the values' columns
output = "bhts,bse,hev,hwd->btd"
