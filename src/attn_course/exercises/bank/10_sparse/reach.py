"""Predict, then measure. A window of 1,024, its own position counted, over 32,768
tokens: how many layers until the last token can have heard of the first? Enter your
guess, then write `layers(n, window)`, window at least 2.

1. How far back does one layer reach? Its own position counts.
2. The last token is n - 1 away from the first; a layer reaches window - 1.
3. -(-(n - 1) // (window - 1)), a division rounded up
"""

title = "predict how many layers"
level, minutes = 1, 10
kind = "predict"
before = "00.multiplications"
predict = "32,768 tokens, a window of 1,024"
ask = (32_768, 1024)


def cases(rng):
    cases = [
        Case("the last layer reaches farther than it must", (32_768, 1024)),
        Case("the last layer reaches just far enough", (33, 5)),
        Case("one layer is enough", (7, 7)),
        Case("a window longer than the sequence", (5, 11)),
        Case("a window of 2", (9, 2)),
    ]
    for _ in range(3):
        window = int(rng.integers(3, 40))
        n = int(rng.integers(100, 2000))
        cases.append(Case("sizes of different primes", (n, window)))
    return cases


# %% solution
def layers(n, window):
    ...  # two numbers; return one
    return -(-(n - 1) // (window - 1))


# %% mistake: a layer reaches window - 1 back: the own position counts
return -(-(n - 1) // window)
# %% mistake: the last token is n - 1 away from the first
return -(-n // (window - 1))
# %% mistake: a layer that is begun is needed whole: round up
return (n - 1) // (window - 1)
# %% mistake: reach does not double per layer; it adds up
return int(np.ceil(np.log2((n - 1) / (window - 1) + 1)))
# %% mistake: a layer that is begun is needed: round up, not to the nearest
return round((n - 1) / (window - 1))
# %% mistake: there is one layer too many
return -(-(n - 1) // (window - 1)) + 1
# %% mistake: the last token is n - 1 away from the first, not n - 2
return -(-(n - 2) // (window - 1))
# %% mistake: the window looks back alone, so it reaches window - 1
return -(-(n - 1) // (2 * window - 1))
# %% mistake: a layer reaches window - 1 back, not window + 1
return -(-(n - 1) // (window + 1))
# %% mistake: the window is one-sided: it isn't halved
return -(-(n - 1) // (window // 2))
# %% mistake: layers and windows are mixed: the own position counts, and round up
return n // window + 1
