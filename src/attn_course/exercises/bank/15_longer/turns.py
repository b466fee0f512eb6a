"""Predict, then measure. Width 128, base 500000, trained on 8,192 positions: how many
of the 64 pairs never complete a turn? Enter your guess, then write `never_turned(width,
base, trained_length)`: the count of pairs whose angle at position trained_length is
below 2 pi.

1. After n positions pair p has turned by n base^(-2 p / K).
2. Compare all angles at trained_length with 2 pi, and count.
3. (trained_length * theta < 2 * np.pi).sum()
"""

title = "predict the unfinished rotations of Llama 3"
level, minutes = 1, 10
kind = "predict"
before = "07.wavelength"
predict = "width 128, base 500000, 8,192 positions"
ask = (128, 500000.0, 8192)


def cases(rng):
    cases = [Case("Llama 3", (128, 500000.0, 8192)), Case("all turn", (8, 4.0, 90))]
    cases.append(Case("none turns", (8, 10000.0, 6)))
    cases.append(Case("the fastest pair alone", (8, 10000.0, 7)))
    for _ in range(5):
        width, length = 2 * int(rng.integers(3, 90)), int(rng.integers(20, 9000))
        base = float(rng.choice([100.0, 10000.0, 1e6]))
        cases.append(Case("another width", (width, base, length)))
    return cases


# %% solution
def never_turned(width, base, trained_length):
    ...  # three numbers; return a count
    theta = base ** (-2 * np.arange(width // 2) / width)
    return int((trained_length * theta < 2 * np.pi).sum())


# %% mistake: a full turn is 2 pi, not 1
return int((trained_length * theta < 1).sum())
# %% mistake: a full turn is 2 pi, not pi
return int((trained_length * theta < np.pi).sum())
# %% mistake: these are the pairs that did turn
return int((trained_length * theta >= 2 * np.pi).sum())
# %% mistake: a pair has two columns
theta = base ** (-np.arange(width) / width)
# %% mistake: the exponent is -2 i / K
theta = base ** (-1 * np.arange(width // 2) / width)
# %% mistake: the base is handed over
theta = 10000.0 ** (-2 * np.arange(width // 2) / width)
# %% mistake: a share was returned; the count is asked for
return (trained_length * theta < 2 * np.pi).mean()
