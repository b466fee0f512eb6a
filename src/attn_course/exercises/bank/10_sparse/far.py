"""Predict, let it be measured, then say why. 16 layers with a window of 8 reach 112
tokens back. Every weight is 1/8, and nothing goes around the layers. Which share of what
the last token holds comes from the farthest quarter of that reach, 84 to 112 back? Write
`far()`, which returns your guess, from 0 to 1, and why; the check measures, and then
names the reasons that there are.

1. A path goes from the last token through 16 layers and takes a step of 0 to 7 in each.
2. All paths weigh the same. How many of them add up to 84 or more?
3. Throw 16 dice: nearly all sums lie near the mean. Which reason says so?
"""

title = "predict what is heard from far, and say why"
level, minutes = 2, 10
kind = "open"
before = "10.reach"

REASONS = {
    "few paths": "",
    "small weights": "every weight is an eighth, that of the farthest key too",
    "out of reach": "16 steps of 7 are 112, and only 84 are asked for",
    "the mask": "it blocks what comes later; all that is asked for comes before",
    "lost weight": "each row sums to 1, and so do 16 layers together",
}


def cases(rng):
    return [Case("16 layers, a window of 8", ())]


def measured(layers=16, window=8, back=84):
    """The share that comes from so far back or farther."""
    share = np.ones(1)
    for _ in range(layers):
        share = np.convolve(share, np.full(window, 1 / window))
    return share[back:].sum()


def measure(results):
    """True for a guess with the right reason; any other is told what is measured."""
    if len(results) != 2 or results[0].ndim or results[0].dtype.kind not in "iuf":
        raise Refused("not done yet: return a guess, a number from 0 to 1, and why")
    guess, why = float(results[0]), str(results[1])
    if not 0 <= guess <= 1:
        raise Refused("not done yet: the guess is a share, from 0 to 1")
    told = f"you guessed {guess:.3g}, it is {measured():.2g}"
    if why not in REASONS:
        raise Refused(f"{told}: why? One of: {', '.join(sorted(REASONS))}")
    if REASONS[why]:
        raise Refused(f"{told}, but not for that reason: {REASONS[why]}")
    return np.array(True)


# %% solution
def far():
    guess = 0.25
    why = "few paths"
    return guess, why


# %% starter
def far():
    guess = ...  # of what the last token holds
    why = ...  # check the guess first
    return guess, why


# %% mistake: you guessed 0.25, it is 0.0011: the reason is missing
why = ""
# %% mistake: you guessed 0.25, it is 0.0011, but not for that reason: all weigh alike
why = "small weights"
# %% mistake: you guessed 0.25, it is 0.0011, but not for that reason: it is in reach
why = "out of reach"
# %% mistake: you guessed 0.25, it is 0.0011, but not for that reason: it is the past
why = "the mask"
# %% mistake: you guessed 0.25, it is 0.0011, but not for that reason: rows sum to 1
why = "lost weight"
