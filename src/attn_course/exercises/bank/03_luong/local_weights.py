"""Find the bug in the weights of predictive local attention: score (T, S), center (T)
real, half_width a number; output (T, S). They should be a softmax over the positions
with |s - center| <= half_width, times a Gaussian around the center with sigma =
half_width / 2. If all scores are 0, this function gives equal weights and no Gaussian.
Every window holds a position; `softmax(score)` is given.

1. A Gaussian makes a weight smaller. What does it do to a score of 0, or of -3?
2. distance = np.arange(S) - center[:, None] serves both window and Gaussian.
3. softmax(np.where(np.abs(distance) <= half_width, score, -np.inf)) times
   np.exp(-(distance**2) / (2 * sigma**2)).
"""

title = "find the bug in a window"
level, minutes = 2, 15
kind = "bug"
before = "02.masked_weights"
usual = "afterwards -1e4"


def cases(rng):
    def draw(T, S):
        center = rng.uniform(0, max(S - 1, 0.1), T)
        return rng.normal(size=(T, S)), center, int(rng.integers(2, 5))

    def whole(score, center, half_width):
        # Whole centers, so that positions stand exactly on the window's edge.
        return score, np.round(center), half_width

    def large(score, center, half_width):
        # The largest scores of all stand outside the window, which is empty nowhere.
        near = np.abs(np.arange(score.shape[1]) - center[:, None]) <= half_width
        return np.where(near, score + 800, score + 3000), center, half_width

    cases = fixed_cases(rng, draw, 2, long=(1,))
    score, center, half_width = draw(5, 17)  # longer than any window
    return [
        *cases,
        Case("whole centers", whole(*draw(7, 11))),
        Case("a half width that is not whole", (*draw(3, 13)[:2], 2.5)),
        Case("scores of several hundred", large(*draw(5, 23))),
        Case("scores below -10,000", (score - 12000, center, half_width)),
        Case("window of 7", (*draw(5, 19)[:2], 7)),
    ]


# %% solution
def local_weights(score, center, half_width):
    ...  # (T, S), (T), a number; return (T, S)
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    weights = softmax(np.where(inside, score, -np.inf))
    return weights * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))


# %% starter
def local_weights(score, center, half_width):
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    gaussian = np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))
    return softmax(np.where(inside, score * gaussian, -np.inf))


# %% mistakes
def _with_any_maximum(score, center, half_width):
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    weights = np.exp(score - score.max(axis=1, keepdims=True)) * inside
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))


# %% mistake: sigma is the half width; it should be half of it
return weights * np.exp(-(distance**2) / (2 * half_width**2))
# %% mistake: the Gaussian is missing: these are the weights before it
return weights


# %% mistake: they are normalized again after the Gaussian; the paper's are not
def instead(s, c, w):
    return (found := local_weights(s, c, w)) / found.sum(axis=1, keepdims=True)


# %% mistake: there is no window: the softmax runs over the whole sentence
weights = softmax(score)
# %% mistake: the softmax runs over the whole sentence, the window is cut after it
weights = softmax(score) * inside
# %% mistake: a position at exactly half_width is left out; the edge counts
inside = np.abs(distance) < half_width
# %% mistake: the exponent has no 2: it is d^2 / (2 sigma^2)
return weights * np.exp(-(distance**2) / (1 * (half_width / 2) ** 2))
# %% mistake: the largest score is taken outside the window too; inside all vanish
instead = lambda s, c, w: _with_any_maximum(s, c, w)
# %% mistake: exp of a large score overflows: subtract the window's largest one first
weights = unsafe_softmax(np.where(inside, score, -np.inf))
# %% mistake: the center is rounded; the paper's is real
distance = np.arange(score.shape[1]) - np.round(center)[:, None]
# %% mistake: scores outside are set to 0, which is a score like any other
weights = softmax(np.where(inside, score, 0.0))
# %% mistake: the distance is not squared
return weights * np.exp(-(np.abs(distance)) / (2 * (half_width / 2) ** 2))
# %% mistake: only positions before the center are seen
inside = np.abs(distance + half_width / 2) * 2 <= half_width
# %% mistake: the center is cut to a whole number; the paper's is real
distance = np.arange(score.shape[1]) - center[:, None].astype(int)
# %% mistake: positions count from 0
distance = np.arange(1, score.shape[1] + 1) - center[:, None]
# %% mistake: every query gets the first one's center
distance = np.arange(score.shape[1]) - center[0]
# %% mistake: the exponent is 2 d^2 / D^2, not d^2 / D^2
return weights * np.exp(-(distance**2) / half_width**2)
# %% mistake: the window has no left edge: take the distance's absolute value
inside = distance <= half_width
