"""A model chooses keys in one pass over a text, and again token by token. Write
`apart(score, whole, steps)`: score (T, T), the indexer's scores, of the past alone;
whole and steps (T, T), boolean, the keys that were chosen in the pass and in the steps.
Return why they differ: "ties" if all keys that only one of them chose have, in each
row, one and the same score; "future" if the pass chose a key after its query; "lost
keys" if the steps choose otherwise, with other scores; "alike" if nothing differs. It
is tried on runs that you have not seen.

1. Begin with what is seen at once: does anything differ, and above the diagonal?
2. Where whole != steps, look at the scores of one row: are they all the same?
3. all(np.ptp(score[t][d[t]]) == 0 for t in rows with a difference), d = whole != steps
"""

title = "diagnose decoding that differs from the whole pass"
level, minutes = 3, 25
kind = "open"
before = "12.index"

CAUSES = ("alike", "ties", "future", "lost keys")


def choose(score, k, last=False):
    """True for the k best of each row; of equal scores the first or the last."""
    score = score[:, ::-1] if last else score
    place = np.argsort(np.argsort(-score, axis=1, kind="stable"), axis=1)
    chosen = (place < k) & (score > -np.inf)
    return chosen[:, ::-1] if last else chosen


def cases(rng):
    def run(cause, T=24, k=6, heads=1):
        query, key = rng.normal(size=(heads, T, 3)), rng.normal(size=(T, 3))
        score = np.einsum(
            "its,ti->ts", np.maximum(query @ key.T, 0), rng.normal(size=(T, heads))
        )
        if cause == "ties" and heads > 1:  # of several heads, equal after rounding
            score = np.round(score)
        past = np.where(np.tri(T) > 0, score, -np.inf)
        whole, steps = choose(past, k), choose(past, k)
        if cause == "ties":
            steps = choose(past, k, last=True)
        if cause == "future":
            whole = choose(score, k)
        if cause == "lost keys":  # those of the prompt are in no cache
            prompt = np.arange(T) < T // 2
            lost = prompt & ~prompt[:, None]
            steps = choose(np.where(lost, -np.inf, past), k)
        return np.where(np.tri(T) > 0, score, 0.0), whole, steps

    found = [(cause, heads) for cause in CAUSES for heads in (1, 4)]
    found = [found[place] for place in rng.permutation(len(found))]
    return [Case("a run that you have not seen", run(c, heads=h)) for c, h in found]


measure = one_of(CAUSES)


# %% solution
def apart(score, whole, steps):
    ...  # (T, T) each; return one of the names
    differ = whole != steps
    if not differ.any():
        return "alike"
    if np.triu(whole, 1).any():
        return "future"
    rows = [row[d] for row, d in zip(score, differ) if d.any()]
    return "ties" if all(np.ptp(row) == 0 for row in rows) else "lost keys"


# %% mistake: in ties the scores of a row are equal, not those of all rows
rows = [score[differ]]
# %% mistake: not every difference is a tie
return "ties"
# %% mistake: not every difference is a lost key
return "lost keys"
# %% mistake: keys that differ have equal scores in ties
return "lost keys" if all(np.ptp(row) == 0 for row in rows) else "ties"
# %% mistake: what was chosen alike says nothing: look at what differs
rows = [row[d] for row, d in zip(score, whole | steps) if d.any()]
