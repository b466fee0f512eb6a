"""Predict, then measure. A state keeps 0.9 of itself at every step: state = 0.9 * state
+ x. How much does the state after 30 steps change when the first x grows by 1? Enter
your guess, then write `influence(factor, steps)`, which gives that number for any
factor and any number of steps from 1 on.

1. After the step in which it enters, x is multiplied by the factor each time.
2. Write the states of 1, 2 and 3 steps: x; factor * x; factor**2 * x.
3. A loop: state = 1 at first, then steps - 1 times state = factor * state.
"""

title = "predict what is left of the first word"
level, minutes = 2, 10
kind = "predict"
before = "derivatives"
predict = "for a factor of 0.9 and 30 steps"
ask = (0.9, 30)


def cases(rng):
    cases = [
        Case("another factor", (float(rng.uniform(0.2, 1.3)), int(rng.integers(2, 9))))
        for _ in range(4)
    ]
    cases.append(Case("length 1", (float(rng.uniform(0.2, 0.9)), 1)))
    cases.append(Case("a negative factor", (float(-rng.uniform(0.2, 0.9)), 4)))
    return [*cases, Case("length 100", (0.97, 100))]


# %% solution
def influence(factor, steps):
    ...  # two numbers; return one
    return factor ** (steps - 1)


# %% mistake: one step too many: the first x enters in the first step, undamped
return factor**steps
# %% mistake: one step too few
return factor ** (steps - 2)
# %% mistake: the factor is multiplied with the steps; it applies once per step
return factor * (steps - 1)
# %% mistake: this is the sum of all inputs' influences; only the first one counts
return sum(factor**n for n in range(steps))
# %% mistake: steps and factor are exchanged in the power
return (steps - 1) ** factor
# %% mistake: this is what is lost; what is left was asked for
return 1 - factor ** (steps - 1)
# %% mistake: the sign of the factor is lost
return abs(factor) ** (steps - 1)
# %% mistake: the state forgets with exp; it is a power of the factor
return np.exp(-factor * (steps - 1))
# %% mistake: the influence doesn't depend on the steps here
return factor
# %% mistake: the factor is a constant; it is handed over
return 0.9 ** (steps - 1)
# %% mistake: the steps are a constant; they are handed over
return factor**29
# %% mistake: a negative factor has no logarithm: take a power
return np.exp((steps - 1) * np.log(factor))
# %% mistake: x enters whole; it is not multiplied by 1 - factor
return (1 - factor) * factor ** (steps - 1)
# %% mistake: a negative influence is cut off
return max(factor ** (steps - 1), 0)
