"""Predict, then measure. A rotary head of width 64, base 10000: after how many
positions has its slowest pair completed one turn? Enter your guess, then write
`wavelength(pair, width, base)`: the positions of one full turn of the pair, counted
from 0.

1. The angle grows by base^(-2 p / K) per position; a turn is 2 pi.
2. Positions per turn = 2 pi / angle per position.
3. 2 * np.pi * base ** (2 * pair / width)
"""

title = "predict the slowest turn"
level, minutes = 1, 10
kind = "predict"
before = "07.rotate"
predict = "the last pair of width 64, base 10000"
ask = (31, 64, 10000.0)


def cases(rng):
    cases = []
    for _ in range(3):
        width = 2 * int(rng.integers(2, 40))
        pair = int(rng.integers(1, width // 2))
        cases.append(Case("another width", (pair, width, 10000.0)))
    cases.append(Case("the first pair", (0, 6, 10000.0)))
    cases.append(Case("the last pair", (31, 64, 10000.0)))
    return [*cases, Case("another base", (3, 10, float(rng.choice([10, 500, 500000]))))]


# %% solution
def wavelength(pair, width, base):
    ...  # three numbers; return one
    return 2 * np.pi * base ** (2 * pair / width)


# %% mistake: a full turn is 2 pi, not 1
return base ** (2 * pair / width)
# %% mistake: a full turn is 2 pi, not pi
return np.pi * base ** (2 * pair / width)
# %% mistake: this is the angle per position; a turn takes 2 pi over it
return base ** (-2 * pair / width)
# %% mistake: these are turns per position; positions per turn were asked for
return base ** (-2 * pair / width) / (2 * np.pi)
# %% mistake: the exponent is 2 i / K: each pair has two columns
return 2 * np.pi * base ** (pair / width)
# %% mistake: the pairs count from 0
return 2 * np.pi * base ** (2 * (pair + 1) / width)
# %% mistake: the base is a constant; it is handed over
return 2 * np.pi * 10000.0 ** (2 * pair / width)
# %% mistake: the sign of the exponent is wrong
return 2 * np.pi * base ** (-2 * pair / width)
# %% mistake: the exponent divides by the number of pairs; it is the width
return 2 * np.pi * base ** (2 * pair / (width // 2))
# %% mistake: a full turn is 2 pi, not 360
return 360 * base ** (2 * pair / width)
# %% mistake: the pairs count from 0, not from 1
return 2 * np.pi * base ** (2 * (pair - 1) / width)
# %% mistake: the width is a constant; it is handed over
return 2 * np.pi * base ** (2 * pair / 64)
# %% mistake: the exponent is missing: every pair turns as the slowest
return 2 * np.pi * base
# %% mistake: the result is rounded
return round(2 * np.pi * base ** (2 * pair / width))
