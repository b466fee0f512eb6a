"""Write `ring(length, window, sinks)`: which position stands in each slot after so many
positions; output (sinks + window) whole numbers, -1 where a slot is empty. The first
positions are sinks and stay; each further one takes the next slot of the ring, round
and round.

1. A position below `sinks` stands in the slot of its own number.
2. Behind them count from 0 again: p - sinks, round after `window`.
3. slots[p if p < sinks else sinks + (p - sinks) % window] = p
"""

title = "a ring buffer with sinks"
level, minutes = 2, 15
before = "the modulo operator"


def cases(rng):
    cases = []
    for window, sinks in ((3, 2), (5, 1), (2, 4), (7, 3)):
        length = sinks + window * int(rng.integers(2, 5)) + 1
        cases.append(Case("the ring went round", (length, window, sinks)))
    cases.append(Case("no sinks", (int(rng.integers(12, 20)), 5, 0)))
    cases.append(Case("slots are left", (4, 5, 2)))
    cases.append(Case("fewer positions than sinks", (2, 3, 4)))
    cases.append(Case("just full", (7, 5, 2)))
    cases += [Case("a window of 1", (9, 1, 2)), Case("a single slot", (4, 1, 0))]
    return [*cases, Case("nothing yet", (0, 3, 2))]


# %% solution
def ring(length, window, sinks):
    ...  # three numbers; return (sinks + window)
    slots = np.full(sinks + window, -1)
    for p in range(length):
        slots[p if p < sinks else sinks + (p - sinks) % window] = p
    return slots


# %% mistake: the sinks are overwritten: the ring begins behind them
def ring(length, window, sinks):
    slots = np.full(sinks + window, -1)
    for p in range(length):
        slots[p % (sinks + window)] = p
    return slots


# %% mistake: the ring begins at position 0; its first position is `sinks`
slots[p if p < sinks else sinks + p % window] = p
# %% mistake: an empty slot is -1, not 0
slots = np.full(sinks + window, 0)
# %% mistake: the last position is missing
for p in range(length - 1):
    ...
# %% mistake: there is one position too many
for p in range(length + 1):
    ...
# %% mistake: the ring begins behind the sinks: add their number
slots[p if p < sinks else (p - sinks) % window] = p
# %% mistake: positions count from 0
slots[p if p < sinks else sinks + (p - sinks) % window] = p + 1
# %% mistake: the first position is missing
for p in range(1, length):
    ...
# %% mistake: the slots are in the order of the ring, not of time
return np.sort(slots)
# %% mistake: the sinks go through the ring too
slots[sinks + (p - sinks) % window] = p


# %% mistake: that is the last window in the order of time
def instead(length, window, sinks):
    return np.array([*range(sinks), *range(length - window, length)])
