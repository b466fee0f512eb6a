"""Review. An assistant wrote three functions for a softmax with Gemma 2's soft-cap of 50:
score (T, S), any size; mask (T, S), True where a query may attend, at least one in each
row. One is right. Write `review()`, which returns its name and a call that shows it:
score and mask for which both others give other weights. The check runs all three.

1. Usual scores hide both faults or one. Which score does a blocked key have in each?
2. A blocked key at -50 counts only where all others are as low, far below -50.
3. One row, scores -300, -400 and 0, the last one blocked.
"""

title = "review three soft-caps"
level, minutes = 2, 10
kind = "open"
before = "04.attention"


def one(score, mask):
    return softmax(50 * np.tanh(np.where(mask, score, -np.inf) / 50))


def two(score, mask):
    highest = np.where(mask, score, -np.inf).max(axis=1, keepdims=True)
    capped = 50 * np.tanh((score - highest) / 50)
    return softmax(np.where(mask, capped, -np.inf))


def three(score, mask):
    return softmax(np.where(mask, 50 * np.tanh(score / 50), -np.inf))


above = one, two, three
measure = reviewed(
    above,
    right="three",
    wrong={
        "one": "the cap comes after the mask, and lifts blocked keys to -50",
        "two": "what is subtracted before the cap moves other scores into it",
    },
)


def cases(rng):
    return [Case("your call", ())]


# %% solution
def review():
    ...  # return a name, score (T, S), mask (T, S)
    score = np.array([[-300.0, -400.0, 0.0]])
    mask = np.array([[True, True, False]])
    return "three", score, mask


# %% mistake: one is wrong: a blocked key keeps the lowest score that there is
return "one", score, mask
# %% mistake: two is wrong: softmax may be shifted, a cap may not
return "two", score, mask
# %% mistake: on this input one gives what three gives: no key is blocked
mask = np.array([[True, True, True]])
# %% mistake: on this input one gives what three gives: usual scores lie far above -50
score = np.array([[3.0, -1.0, 2.0]])
# %% mistake: on this input two gives what three gives: what is subtracted is nothing
score = np.array([[-300.0, -300.0, 0.0]])
# %% mistake: return a name and 2 arrays: the mask is missing
return "three", score
# %% mistake: on this input two gives a number that is not finite: a row allows nothing
mask = np.array([[False, False, False]])
