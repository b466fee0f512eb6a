"""By hand, the query for the month found the month. A decoder needs something else:
after the year it has to look at the month. Write `next_part()`, which returns W (3, 3),
so that with the memory and the v of that section, hidden = np.tanh(query @ W + memory),
the state that has just written the year, query (0, 0, 1), gives the month more than 0.8
of the weight; that of the month, (0, 1, 0), gives the day more than 0.8; and that of
the day, (1, 0, 0), which ends the date, gives each of the three about a third, between
0.3 and 0.37.

1. What a state asks for need not be what it holds: W stands between the two.
2. query @ W of the state (0, 0, 1) is the third row of W: what should stand there?
3. The rows of W, for day, month and year: zeros, (1, 0, 0) and (0, 1, 0).
"""

title = "set the weights by hand: look at what comes next"
level, minutes = 2, 15
kind = "open"
before = "the section By hand"


def cases(rng):
    return [Case("day, month, year", ())]


def measure(results):
    """Where each state looks: a place, -1 for everywhere alike, -2 for no one place."""
    if len(results) != 1 or results[0].shape != (3, 3):
        raise Refused("return one matrix, W (3, 3)")
    score = np.tanh((np.eye(3) @ results[0])[:, None] + np.eye(3)) @ [-4, -4, -4]
    if not np.isfinite(score).all():
        raise Refused("the scores are not finite")
    weights = softmax(score)
    even = (weights >= 0.3).all(axis=1) & (weights <= 0.37).all(axis=1)
    sure = np.where(weights.max(axis=1) > 0.8, weights.argmax(axis=1), -2)
    return np.where(even, -1, sure)


# %% solution
def next_part():
    ...  # return W (3, 3)
    return np.eye(3, k=-1)


# %% mistake: each state looks at what it has just written
return np.eye(3)
# %% mistake: the other way round: W is transposed, query @ W takes its rows
return np.eye(3, k=1)
# %% mistake: after the day nothing is left to write, and it looks at the year again
return np.eye(3)[[2, 0, 1]]
# %% mistake: the sign is wrong: v is negative already
return -np.eye(3, k=-1)
# %% mistake: it looks the right way, but not sharply: W is too small
return 0.2 * np.eye(3, k=-1)
