"""Predict, then measure. The delta rule, beta = 1, no decay, an empty state. 3 is
written under a key, then 5 under another of length 1, whose product with the first is
0.6. What does the first key read now? Enter your guess, then write `read_back(first,
second, overlap)` for any two numbers.

1. First: what does the second key read before it writes?
2. It reads overlap * first; the rest of second is written under it.
3. The first key reads first, plus overlap times what was written.
"""

title = "predict an overwritten value"
level, minutes = 1, 10
kind = "predict"
before = "11.recurrent"
predict = "3, then 5, overlap 0.6"
ask = (3.0, 5.0, 0.6)


def cases(rng):
    cases = [
        Case("another overlap", tuple(float(x) for x in rng.uniform(0.2, 0.9, 3)))
        for _ in range(3)
    ]
    cases.append(Case("the same key", (3.0, 5.0, 1.0)))
    cases.append(Case("keys at right angles", (3.0, 5.0, 0.0)))
    return [*cases, Case("opposite keys", (2.0, 7.0, -1.0))]


# %% solution
def read_back(first, second, overlap):
    ...  # three numbers; return one
    return first + overlap * (second - overlap * first)


# %% mistake: that is what a sum would read
return first + overlap * second
# %% mistake: the second write leaves a trace: the keys overlap
return first
# %% mistake: the second key reads overlap * first, not all of it
return first + overlap * (second - first)
# %% mistake: that is what the second key reads
return second
# %% mistake: the first key reads only its share of what was written
return first + (second - overlap * first)
# %% mistake: the first value stays written under its key
return overlap * (second - overlap * first)
# %% mistake: the sign is wrong: what is read is taken away
return first + overlap * (second + overlap * first)
# %% mistake: the values are exchanged
return second + overlap * (first - overlap * second)
# %% mistake: the overlap counts twice: in reading and in writing
return first + overlap * (second - first / overlap if overlap else second)
# %% mistake: that is an average of both
return (first + second) / 2
# %% mistake: the overlap counts once more in what is written
return first + overlap * overlap * (second - overlap * first)
# %% mistake: the first value is gone: its key was only partly overwritten
return overlap * second
# %% mistake: the overlap is a constant; it is handed over
return first + 0.6 * (second - 0.6 * first)
# %% mistake: the second value enters whole
return (1 - overlap**2) * first + second
