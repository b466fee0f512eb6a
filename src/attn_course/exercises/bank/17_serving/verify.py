"""Find the bugs; there are two. A small model drafted k tokens, draft (k), with the
probabilities q (k, N); the large model, which read all of them in one step, gives p (k +
1, N). `verify(draft, p, q, uniform)` returns the tokens that are written: the drafted
ones that are kept, and one more. uniform (k + 1): a number from 0 to 1 for each decision
and for the last draw. What is written must have the large model's distribution.

1. When is a drafted token kept for sure: if the small model gave it more than the large
   one, or less?
2. What does the small model give too often, and so is drawn too often before the
   refusal? The draw after it must make up for that.
3. uniform[t] < p[t, token] / q[t, token]; left = np.maximum(p[t] - q[t], 0)
"""

title = "find the bugs in a check of drafted tokens"
level, minutes = 3, 20
kind = "bug"
before = "np.searchsorted"


def cases(rng):
    def draw(k, N, sharp=1.0, kept=None):
        def some(n):
            each = np.exp(sharp * rng.normal(size=(n, N)))
            return each / each.sum(-1, keepdims=True)

        p, q = some(k + 1), some(k)
        draft = rng.integers(0, N, k)
        uniform = rng.random(k + 1)
        if kept is not None:
            ratio = p[np.arange(k), draft] / q[np.arange(k), draft]
            uniform[:k] = np.minimum(ratio, 1) * 0.9
            if kept < k:
                draft[kept] = np.argmin(p[kept] / q[kept])
                ratio = p[kept, draft[kept]] / q[kept, draft[kept]]
                uniform[kept] = (1 + ratio) / 2
            if kept == 0:  # drawn from p it would be the refused one once more
                uniform[-1] = p[0, : draft[0]].sum() + p[0, draft[0]] / 2
        return draft, p, q, uniform

    cases = [Case("sizes of different primes", draw(5, 7)) for _ in range(6)]
    cases += [Case("all are kept", draw(3, 5, kept=3)) for _ in range(2)]
    cases += [Case("the first is refused", draw(3, 5, kept=0)) for _ in range(3)]
    cases += [Case("the second is refused", draw(5, 3, kept=1)) for _ in range(3)]
    cases += [Case("one drafted token", draw(1, 11)) for _ in range(3)]
    cases.append(Case("nothing is drafted", draw(0, 5)))
    return [*cases, *(Case("sharp", draw(3, 7, sharp=3.0)) for _ in range(4))]


# %% solution
def verify(draft, p, q, uniform):
    t, left = len(draft), p[-1]
    for place, token in enumerate(draft):
        if uniform[place] >= p[place, token] / q[place, token]:
            t, left = place, np.maximum(p[place] - q[place], 0)
            break
    chances = np.cumsum(left / left.sum())
    drawn = np.searchsorted(chances, uniform[-1])
    return np.array([*draft[:t], drawn])


# %% starter
def verify(draft, p, q, uniform):
    t, left = len(draft), p[-1]
    for place, token in enumerate(draft):
        if uniform[place] >= q[place, token] / p[place, token]:
            t, left = place, p[place]
            break
    chances = np.cumsum(left / left.sum())
    drawn = np.searchsorted(chances, uniform[-1])
    return np.array([*draft[:t], drawn])


# %% mistake: a token is kept the likelier, the more the large model gives it: p / q
if uniform[place] >= q[place, token] / p[place, token]:
    ...
# %% mistake: after a refusal the draw is from what q gave too little, not from p
t, left = place, p[place]
# %% mistake: after a refusal the draw is from what q gave too little: p - q
t, left = place, np.maximum(q[place] - p[place], 0)
# %% mistake: what q gave too much counts as 0, not as its size
t, left = place, np.abs(p[place] - q[place])


# %% mistake: the first refusal ends it: no later token is kept
def instead(draft, p, q, uniform):
    t, left = len(draft), p[-1]
    for place, token in enumerate(draft):
        if uniform[place] >= p[place, token] / q[place, token]:
            t, left = place, np.maximum(p[place] - q[place], 0)
    chances = np.cumsum(left / left.sum())
    drawn = np.searchsorted(chances, uniform[-1])
    return np.array([*draft[:t], drawn])


# %% mistake: the refused token is not written
return np.array([*draft[: t + 1], drawn])
# %% mistake: a token is kept where the large model gives it at least half
if p[place, token] < 0.5:
    ...
# %% mistake: the chance of being kept is a ratio, not p alone
if uniform[place] >= p[place, token]:
    ...
# %% mistake: what is kept is written, and one token more
return np.array([*draft[:t]])
# %% mistake: if all are kept, one more is drawn, from the last p
t, left = len(draft), p[0]
