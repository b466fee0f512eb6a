"""An assistant wrote three functions for the mean loss of a token: loss (B, T), mask
(B, T) bool, True where a token stands. One is right. Write `review()`, which returns
its name and a batch, loss and mask with a token in each row, on which both others give
another number. The check runs all three.

1. Compute each by hand for two sentences: one of three tokens, one of a single token.
2. Which batches hide a fault? Those without padding, those of equal lengths, those
   whose losses are all the same.
3. The losses of all tokens, added, over the number of all tokens; one row full, the
   other with one token and a larger loss.
"""

title = "review an assistant's three losses"
level, minutes = 2, 15
kind = "open"
before = "01.padding_mask"


def one(loss, mask):
    return (loss * mask).mean()


def two(loss, mask):
    return ((loss * mask).sum(1) / mask.sum(1)).mean()


def three(loss, mask):
    return (loss * mask).sum() / mask.sum()


above = one, two, three
measure = reviewed(
    above,
    right="three",
    wrong={
        "one": "it divides by the padding's places too",
        "two": "a token of a short sentence counts more than one of a long sentence",
    },
)


def cases(rng):
    return [Case("your batch", ())]


# %% solution
def review():
    ...  # return a name, loss (B, T), mask (B, T)
    loss = np.array([[1.0, 1.0, 1.0], [5.0, 0.0, 0.0]])
    mask = np.array([[True, True, True], [True, False, False]])
    return "three", loss, mask


# %% mistake: one is wrong: with padding the mean sinks
return "one", loss, mask
# %% mistake: two is wrong: the mean of means is that of all tokens for equal lengths
return "two", loss, mask
# %% mistake: on this input one gives what three gives: there is no padding
mask = np.ones((2, 3), bool)
# %% mistake: on this input two gives what three gives: the lengths are equal
mask = np.array([[True, False, False], [True, False, False]])
# %% mistake: on this input two gives what three gives: every loss is the same
loss = np.ones((2, 3))
# %% mistake: return a name and 2 arrays: the mask is missing
return "three", loss
# %% mistake: on this input two gives a number that is not finite: a row has no token
mask = np.array([[True, True, True], [False, False, False]])
