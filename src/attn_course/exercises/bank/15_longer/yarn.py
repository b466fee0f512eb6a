"""Find the bugs. YaRN's frequencies, `yarn(width, base, factor, trained_length)`: pairs
that turn at least 32 times in training keep theirs, pairs that turn at most once are
divided by the factor, with a ramp over the pairs between; output (width / 2). There are
two faults; the first one was in a compiler's library.

1. Which pairs does the ramp slow, and what does the factor divide?
2. slowed is 0 for the fast pairs and 1 for the slow ones; the factor divides the
   frequency, outside the power.
3. theta * (1 - slowed) + theta / factor * slowed
"""

title = "find the bugs in YaRN's ramp"
level, minutes = 3, 20
kind = "bug"
before = "15.interpolate"


def cases(rng):
    def draw(width, base, factor, length):
        return 2 * width, float(base), float(factor), int(length)

    cases = [Case("the example of the text", draw(32, 10000, 4, 2048))]
    cases.append(Case("Llama 3's base", draw(64, 500000, 8, 8192)))
    cases.append(Case("trained on few positions", draw(8, 10000, 4, 64)))
    cases.append(Case("no factor", draw(32, 10000, 1, 2048)))
    cases.append(Case("every pair is kept", draw(16, 10, 3, 4096)))
    cases.append(Case("the ramp ends beyond the pairs", draw(16, 2, 3, 64)))
    for _ in range(3):
        width, factor = int(rng.integers(20, 60)), int(rng.integers(2, 17))
        length = int(rng.integers(1000, 9000))
        base = rng.choice([10000.0, 50000.0, 1e6])
        cases.append(Case("another width", draw(width, base, factor, length)))
    return cases


# %% solution
def yarn(width, base, factor, trained_length):
    pairs = np.arange(width // 2)
    theta = base ** (-2 * pairs / width)
    turns = np.array([32, 1])
    ends = np.log(trained_length / (2 * np.pi * turns)) / np.log(base)
    ends = ends * width / 2
    first, last = max(np.floor(ends[0]), 0), min(np.ceil(ends[1]), width - 1)
    slowed = np.clip((pairs - first) / (last - first), 0, 1)
    return theta * (1 - slowed) + theta / factor * slowed


# %% starter
def yarn(width, base, factor, trained_length):
    pairs = np.arange(width // 2)
    theta = base ** (-2 * pairs / width)
    slow = (factor * base) ** (-2 * pairs / width)
    ends = np.log(trained_length / (2 * np.pi * np.array([32, 1])))
    ends = ends / np.log(base) * width / 2
    first = max(np.floor(ends[0]), 0)
    last = min(np.ceil(ends[1]), width - 1)
    slowed = np.clip((pairs - first) / (last - first), 0, 1)
    return theta * slowed + slow * (1 - slowed)


# %% mistake: the ramp is reversed: fast pairs keep their frequency, slow ones are
# divided
return theta * slowed + theta / factor * (1 - slowed)
# %% mistake: the factor stands in the power: it divides the frequency, not the base
return theta * (1 - slowed) + (factor * base) ** (-2 * pairs / width) * slowed
# %% mistake: there is no ramp: all pairs are slowed
slowed = np.ones(len(pairs))
# %% mistake: the ramp is a step
slowed = (pairs >= last) * 1.0
# %% mistake: the ends of the ramp are not rounded: down and up
first, last = max(ends[0], 0), min(ends[1], width - 1)
# %% mistake: the ends are rounded the wrong way
first, last = max(np.ceil(ends[0]), 0), min(np.floor(ends[1]), width - 1)
# %% mistake: a turn is 2 pi
ends = np.log(trained_length / turns) / np.log(base)
# %% mistake: the ramp counts columns; it counts pairs
ends = ends * width
# %% mistake: the ramp is not clipped
slowed = (pairs - first) / (last - first)
# %% mistake: the exponent is -2 i / K
theta = base ** (-pairs / width)
