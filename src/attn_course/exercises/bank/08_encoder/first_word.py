"""Predict, then measure. In twelve causal layers each of 100 rows becomes the mean of
itself and those before. How much of the last is the first? Guess, then write
`first_word(layers, length, keep)`: `keep` of a row stays, the rest is that mean.

1. One layer is a matrix; its row t holds 1 / (t + 1), t + 1 times. What is the next
   layer's product with it?
2. Every mean holds row 0, and row 0 holds nothing else: what arrives there stays.
3. np.linalg.matrix_power(keep * np.eye(length) + (1 - keep) * mean, layers)[-1, 0]
"""

title = "predict the first word's share"
level, minutes = 2, 10
kind = "predict"
before = "matrix products"
predict = "with keep 0"
ask = (12, 100, 0.0)


def cases(rng):
    layers, length = (int(n) for n in rng.permutation([3, 5, 7, 11])[:2])
    return [
        Case("sizes of different primes", (layers, length, 0.0)),
        Case("half is kept", (length, layers, 0.5)),
        Case("much is kept", (layers, 13, float(rng.uniform(0.6, 0.9)))),
        Case("one layer", (1, length, 0.25)),
        Case("one word", (layers, 1, 0.3)),
        Case("no layer", (0, 5, 0.5)),
        Case("everything is kept", (3, 5, 1.0)),
        Case("length 100", (24, 100, 0.5)),
    ]


# %% solution
def first_word(layers, length, keep):
    ...  # three numbers; return one
    mean = np.tri(length) / np.arange(1, length + 1)[:, None]
    layer = keep * np.eye(length) + (1 - keep) * mean
    return np.linalg.matrix_power(layer, layers)[-1, 0]


# %% mistake: every row is divided by its own number of words, not by all
mean = np.tri(length) / length
# %% mistake: it is causal: no row sees a later one
mean = np.ones((length, length)) / length
# %% mistake: keep and 1 - keep are exchanged
layer = (1 - keep) * np.eye(length) + keep * mean
# %% mistake: the mean is added whole: 1 - keep of it was asked for
layer = keep * np.eye(length) + mean
# %% mistake: nothing is kept
layer = mean
# %% mistake: this is one layer; the others come behind it
return layer[-1, 0]
# %% mistake: a layer's number is not a factor: the layers multiply
return layers * layer[-1, 0]
# %% mistake: the first word's way through other rows is missing
return layer[-1, 0] ** layers
# %% mistake: this is what is left of the last word
return np.linalg.matrix_power(layer, layers)[-1, -1]
# %% mistake: this is how much of the first row is the last word
return np.linalg.matrix_power(layer, layers)[0, -1]
# %% mistake: there is a layer too many
return np.linalg.matrix_power(layer, layers + 1)[-1, 0]
# %% mistake: a row counts itself too
mean = np.tri(length, k=-1) / np.maximum(np.arange(length), 1)[:, None]
# %% mistake: the share of the others was not asked for
return 1 - np.linalg.matrix_power(layer, layers)[-1, 0]
# %% mistake: the length is a constant; it is handed over
mean = np.tri(100) / np.arange(1, 101)[:, None]
layer = keep * np.eye(100) + (1 - keep) * mean
