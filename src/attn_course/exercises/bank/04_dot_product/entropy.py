"""Predict, then measure. A query gives all of 256 keys the same weight: what is the
entropy of its weights, in nats? Enter your guess, then write `entropy(weights)`: the
mean over the queries of -sum w log w, a number; weights (T, S). A weight of 0 adds 0,
so a row of zeros has the entropy 0.

1. For n equal weights of 1/n it is log n.
2. np.log(0) is -inf, and 0 times -inf is NaN: replace the 0 inside the log.
3. -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1).mean()
"""

title = "predict an entropy"
level, minutes = 2, 10
kind = "predict"
before = "logarithms"
predict = "for 256 equal weights"
ask = (np.full((1, 256), 1 / 256),)


def cases(rng):
    def draw(T, S):
        return (softmax(3 * rng.normal(size=(T, S))),)

    def large(weights):
        return (np.eye(*weights.shape),)  # all the weight on one key: log(0) is -inf

    return fixed_cases(rng, draw, 2, long=(1,), large=large, empty={0: cleared(0)})


# %% solution
def entropy(weights):
    ...  # (T, S); return a number
    logarithm = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logarithm).sum(axis=1).mean()


# %% mistake: a weight of 0 gives NaN; it should add 0
logarithm = np.log(weights)
# %% mistake: these are bits; nats take the natural logarithm
logarithm = np.log2(np.where(weights > 0, weights, 1))
# %% mistake: the sign is wrong: an entropy is not negative
return (weights * logarithm).sum(axis=1).mean()
# %% mistake: this is the sum over the queries, not their mean
return -(weights * logarithm).sum()
# %% mistake: this is the mean over all pairs; sum over the keys first
return -(weights * logarithm).mean()
# %% mistake: the sum runs over the queries
return -(weights * logarithm).sum(axis=0).mean()
# %% mistake: it returns one number per query; their mean was asked for
return -(weights * logarithm).sum(axis=1)
# %% mistake: the logarithm isn't weighted
return -(logarithm).sum(axis=1).mean()
# %% mistake: it is divided by its largest value, log S
return -(weights * logarithm).sum(axis=1).mean() / np.log(weights.shape[1])
# %% mistake: nats take the natural logarithm, not that to the base 10
logarithm = np.log10(np.where(weights > 0, weights, 1))
# %% mistake: this is the largest row's entropy; the mean was asked for
return -(weights * logarithm).sum(axis=1).max()
# %% mistake: this is exp of the entropy
return np.exp(-(weights * logarithm).sum(axis=1).mean())
# %% mistake: that is the entropy of equal weights
return np.log(weights.shape[1])
