"""Find the bugs. `chosen(score, count, sinks)` says which of S keys a query keeps, (S)
True or False: the first `sinks` keys always, and of the others those with the highest
scores, until `count` keys are kept in all. There are two faults; with the first one
heads lose the keys on which they rest, as soon as a text is longer than `count`.

1. Which keys compete for a place, and for how many places?
2. Only keys behind the sinks compete, for count - sinks places; then the sinks are set.
3. best = sinks + np.argsort(-score[sinks:])[: count - sinks]; kept[:sinks] = True
"""

title = "find the bugs in a choice of keys"
level, minutes = 2, 15
kind = "bug"
before = "13.ring"


def cases(rng):
    def draw(S, count, sinks, side=0):
        score = rng.permutation(S) - S / 2 + 0.25
        if side:  # the sinks have the lowest scores, or the highest
            score[:sinks] = side * S + np.arange(sinks) / 10
        return score, count, sinks

    return [
        Case("the sinks have low scores", draw(13, 5, 2, side=-1)),
        Case("sizes of different primes", draw(11, 7, 3)),
        Case("the sinks have high scores", draw(29, 11, 4, side=1)),
        Case("no sinks", draw(13, 5, 0)),
        Case("one sink", draw(17, 3, 1, side=-1)),
        Case("sinks alone", draw(7, 3, 3, side=-1)),
        Case("all keys fit", draw(5, 7, 2)),
        Case("just as many", draw(5, 5, 2)),
        Case("one key", draw(1, 3, 1)),
    ]


# %% solution
def chosen(score, count, sinks):
    kept = np.zeros(len(score), bool)
    best = sinks + np.argsort(-score[sinks:])[: count - sinks]
    kept[best] = True
    kept[:sinks] = True
    return kept


# %% starter
def chosen(score, count, sinks):
    kept = np.zeros(len(score), bool)
    best = np.argsort(-np.abs(score))[:count]
    kept[best] = True
    return kept


# %% mistake: the first keys compete with the others, and lose: they are always kept
best = np.argsort(-score)[:count]
kept[best] = True
return kept
# %% mistake: the sinks come on top: there are count keys in all
best = sinks + np.argsort(-score[sinks:])[:count]
# %% mistake: the sinks compete too, so that some places are given twice
best = np.argsort(-score)[: count - sinks]
# %% mistake: the lowest scores are kept
best = sinks + np.argsort(score[sinks:])[: count - sinks]
# %% mistake: a low score is far below 0: no absolute values
best = sinks + np.argsort(-np.abs(score[sinks:]))[: count - sinks]
# %% mistake: places are counted behind the sinks: add their number
best = np.argsort(-score[sinks:])[: count - sinks]
# %% mistake: the last keys are kept, not the first
kept[len(score) - sinks :] = True
# %% mistake: the sinks are not kept at all
kept[:sinks] = False
# %% mistake: only one sink is kept
kept[: min(sinks, 1)] = True
