"""Predict, then measure. All scores are equal, the center is 0, the half width 3, the
sentence 10 long: what do local-p's weights sum to? Enter your guess, then write
`window_sum(center, half_width, length)` for any center, as a number.

1. Equal scores: every position in the window gets 1 over their number.
2. The sum is the mean of the Gaussian over the positions in the window.
3. Take local_weights(np.zeros((1, length)), np.array([center]), half_width).sum().
"""

title = "predict the sum of the weights"
level, minutes = 2, 15
kind = "predict"
before = "03.local_weights"
predict = "center 0, half width 3, length 10"
ask = (0.0, 3, 10)


def cases(rng):
    cases = [
        Case("another window", (float(rng.uniform(3, 15)), int(width), int(length)))
        for width, length in ((2, 17), (3, 19), (5, 23))
    ]
    cases.append(Case("a whole center at the start", (0.0, 4, 11)))
    cases.append(Case("a center at the end", (12.0, 3, 13)))
    cases.append(Case("an axis of size 1", (0.0, 2, 1)))
    cases.append(Case("a center between two positions", (5.5, 2, 13)))
    return [*cases, Case("length 100", (float(rng.uniform(20, 80)), 10, 100))]


# %% solution
def window_sum(center, half_width, length):
    ...  # three numbers; return one
    distance = np.arange(length) - center
    distance = distance[np.abs(distance) <= half_width]
    return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).mean()


# %% mistake: they always sum to 1 only before the Gaussian
return 1.0
# %% mistake: sigma is the half width; it should be half of it
return np.exp(-(distance**2) / (2 * half_width**2)).mean()
# %% mistake: each weight is 1 over the sentence's length; it is over the window's
return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).sum() / length
# %% mistake: the softmax is missing: this is the sum of the Gaussian alone
return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).sum()
# %% mistake: a position at exactly half_width is left out; the edge counts
distance = distance[np.abs(distance) < half_width]
# %% mistake: the window ends where the sentence does: count those inside alone
return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).sum() / (2 * half_width + 1)
# %% mistake: the exponent has no 2
return np.exp(-(distance**2) / (1 * (half_width / 2) ** 2)).mean()
# %% mistake: there is no window
distance = distance
# %% mistake: this is the largest weight, not the sum
return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).max() / len(distance)
# %% mistake: the exponent is 2 d^2 / D^2, not d^2 / D^2
return np.exp(-(distance**2) / half_width**2).mean()
# %% mistake: the distance is not squared
return np.exp(-2 * np.abs(distance) / half_width).mean()
# %% mistake: these are all weights; their sum was asked for
return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))
# %% mistake: the center is rounded; it is real
distance = np.arange(length) - round(center)
# %% mistake: the center is left out
distance = np.arange(length)
# %% mistake: positions count from 0
distance = np.arange(1, length + 1) - center
# %% mistake: this is the largest of the Gaussian's values
return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).max()
# %% mistake: the length is a constant; it is handed over
distance = np.arange(10) - center
