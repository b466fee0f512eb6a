"""Predict, then measure. Width 64, base 10000: which base makes the slowest pair 4
times slower? Enter your guess, then write `slower_base(width, base, factor)`: the base
whose last pair has its frequency divided by the factor.

1. The last pair turns by base^(-(K - 2) / K) per position.
2. new^(-(K - 2) / K) = base^(-(K - 2) / K) / factor
3. base * factor ** (width / (width - 2))
"""

title = "predict NTK's base"
level, minutes = 2, 10
kind = "predict"
before = "07.wavelength"
predict = "width 64, base 10000, factor 4"
ask = (64, 10000.0, 4.0)


def cases(rng):
    cases = [Case("Llama 3's base", (128, 500000.0, 8.0))]
    cases.append(Case("no factor", (64, 10000.0, 1.0)))
    cases.append(Case("the smallest width", (4, 100.0, 3.0)))
    for _ in range(4):
        width, factor = 2 * int(rng.integers(3, 90)), float(rng.integers(2, 33))
        base = float(rng.choice([10.0, 10000.0, 1e6]))
        cases.append(Case("another width", (width, base, factor)))
    return cases


# %% solution
def slower_base(width, base, factor):
    ...  # three numbers; return one
    return base * factor ** (width / (width - 2))


# %% mistake: the last pair has the exponent (K - 2) / K, not 1
return base * factor
# %% mistake: the exponent is upside down
return base * factor ** ((width - 2) / width)
# %% mistake: the last pair is pair K / 2 - 1, and has two columns
return base * factor ** (width / (width - 1))
# %% mistake: the base grows, it is not divided
return base / factor ** (width / (width - 2))
# %% mistake: the factor is squared
return base * factor ** (width / (width - 2) * 2)
# %% mistake: the old base counts too
return factor ** (width / (width - 2))
