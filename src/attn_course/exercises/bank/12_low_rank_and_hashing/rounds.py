"""Predict, then compute. One round finds a key with probability 0.6. How many rounds
find it with at least 0.99? Enter your guess, then write `rounds(p, wanted)`, the
smallest whole number of rounds.

1. What is the chance that r rounds all miss it?
2. (1 - p)^r has to be at most 1 - wanted.
3. np.ceil(np.log(1 - wanted) / np.log(1 - p))
"""

title = "predict the number of rounds"
level, minutes = 1, 10
kind = "predict"
before = "logarithms"
predict = "p = 0.6, 0.99 wanted"
ask = (0.6, 0.99)


def cases(rng):
    cases = [Case("the prediction", (0.6, 0.99)), Case("one is enough", (0.7, 0.5))]
    # Powers of two, so that the ratio of the logarithms is exact in any spelling.
    cases.append(Case("a ratio that is whole", (0.5, 0.75)))
    cases.append(Case("a ratio that is whole", (0.75, 0.9375)))
    for _ in range(4):
        p, rounds = float(rng.uniform(0.05, 0.8)), int(rng.integers(2, 12))
        wanted = 1 - (1 - p) ** (rounds - float(rng.uniform(0.2, 0.8)))
        cases.append(Case("another chance", (p, wanted)))
    return cases


# %% solution
def rounds(p, wanted):
    ...  # two numbers; return a whole number
    ratio = np.log(1 - wanted) / np.log(1 - p)
    return int(np.ceil(ratio - 1e-9))  # 2 may come out as 2.0000000000000004


# %% mistake: rounds are whole: round up
return np.log(1 - wanted) / np.log(1 - p)
# %% mistake: round up, not to the nearest
return int(np.round(np.log(1 - wanted) / np.log(1 - p)))
# %% mistake: round up, not down
return int(np.floor(np.log(1 - wanted) / np.log(1 - p)))
# %% mistake: a key is missed with probability 1 - p per round
return int(np.ceil(np.log(1 - wanted) / np.log(p)))
# %% mistake: it may be missed with probability 1 - wanted
return int(np.ceil(np.log(wanted) / np.log(1 - p)))
# %% mistake: chances of rounds are not added up
return int(np.ceil(wanted / p))
# %% mistake: there is one round too many
return int(np.ceil(np.log(1 - wanted) / np.log(1 - p))) + 1
# %% mistake: 1 / p is the mean number of rounds
return int(np.ceil(1 / p))
# %% mistake: p is a constant; it is handed over
return int(np.ceil(np.log(1 - wanted) / np.log(0.4)))
# %% mistake: what is wanted is a constant; it is handed over
return int(np.ceil(np.log(0.01) / np.log(1 - p)))
# %% mistake: both logarithms have the same base
return int(np.ceil(np.log10(1 - wanted) / np.log(1 - p)))
