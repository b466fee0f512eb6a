"""Predict, then measure. The score weight is (1, 1). However large query and memory
are, how many times larger than another can one weight be at most? Enter your guess,
then write `largest_ratio(score_weight)`, which gives that bound for any score weight
(A), as a number.

1. A tanh lies between -1 and 1, whatever goes in.
2. The largest score is the sum of |v|, the smallest its negative.
3. Two weights of a softmax have the ratio exp(score - other score).
"""

title = "predict the largest ratio of two weights"
level, minutes = 2, 10
kind = "predict"
before = "02.additive_score"
predict = "for the score weight (1, 1)"
ask = (np.ones(2),)


def cases(rng):
    kinds = [("sizes of different primes", n) for n in (2, 3, 5)]
    cases = [Case(name, (rng.normal(size=n),)) for name, n in kinds]
    cases.append(Case("an axis of size 1", (rng.normal(size=1) - 2,)))
    cases.append(Case("float32", (rng.normal(size=3).astype(np.float32),), single=True))
    return [*cases, Case("length 100", (rng.normal(size=100) / 10,))]


# %% solution
def largest_ratio(score_weight):
    ...  # (A); return a number
    return np.exp(2 * np.abs(score_weight).sum())


# %% mistake: the tanh goes from -1 to 1: the two scores differ by twice the sum
return np.exp(np.abs(score_weight).sum())
# %% mistake: negative entries count too: sum the absolute values
return np.exp(2 * score_weight.sum())
# %% mistake: this is the difference of the scores; the weights' ratio is its exp
return 2 * np.abs(score_weight).sum()
# %% mistake: the bound is the sum of the absolute values, not their length
return np.exp(2 * np.sqrt((score_weight**2).sum()))
# %% mistake: the largest entry alone doesn't bound it: all of them add up
return np.exp(2 * np.abs(score_weight).max())
# %% mistake: this is one ratio per entry; they multiply
return np.exp(2 * np.abs(score_weight))
# %% mistake: the bound doesn't depend on the width alone
return np.exp(2 * len(score_weight))
# %% mistake: the absolute value is taken after the sum
return np.exp(2 * abs(score_weight.sum()))
# %% mistake: this is the mean of the absolute values; they add up
return np.exp(2 * np.abs(score_weight).mean())
# %% mistake: the squares are summed; it is the absolute values
return np.exp(2 * (score_weight**2).sum())
# %% mistake: the tanh bounds the hidden units, not the weights
return np.exp(2 * np.tanh(np.abs(score_weight)).sum())
# %% mistake: exp is taken of the whole sum, not of 2
return np.exp(2) * np.abs(score_weight).sum()
# %% mistake: the largest less the smallest entry doesn't bound it
return np.exp(score_weight.max() - score_weight.min())
# %% mistake: the sum is a constant; it is that of the score weight
return np.exp(2 * 2)
