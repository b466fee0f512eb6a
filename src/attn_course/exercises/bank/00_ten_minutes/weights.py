"""Find the bugs; there are two. `weights(score)` should turn scores (T, S) into weights
(T, S): each row is positive and sums to 1. Scores may be as large as several hundred.

1. Which axis sums to 1 here? And what is np.exp(800)?
2. Subtract each row's maximum before exp: the weights stay the same, and nothing
   overflows. Keep the axis (keepdims=True), or the shapes don't fit.
3. e = np.exp(score - score.max(axis=1, keepdims=True)); then divide e by its own sum
   over axis 1.
"""

title = "find the bugs in a softmax"
level, minutes = 1, 5
kind = "bug"
before = "exp, sums over an axis"


def cases(rng):
    def draw(T, S):
        return (rng.normal(size=(T, S)),)

    def large(score):
        return (score + 900 * (-1.0) ** np.arange(len(score))[:, None],)

    def low(score):
        return (score - 12000,)

    return fixed_cases(rng, draw, 2, long=(0, 1), large=large, low=low)


# %% solution
def weights(score):
    ...  # (T, S); return (T, S)
    exponential = np.exp(score - score.max(axis=1, keepdims=True))
    return exponential / exponential.sum(axis=1, keepdims=True)


# %% starter
exponential = np.exp(score)
return exponential / exponential.sum(axis=0, keepdims=True)
# %% mistake: exp of a large score overflows: subtract the row's largest one first
exponential = np.exp(score)
# %% mistake: the weights sum to 1 over the queries: the axis should be the keys'
return exponential / exponential.sum(axis=0, keepdims=True)
# %% mistake: the weights are not divided by their sum
return exponential
# %% mistake: all weights together sum to 1; each row should
return exponential / exponential.sum()
# %% mistake: the largest score of all is subtracted: rows far below it become 0 / 0
exponential = np.exp(score - score.max())
# %% mistake: scores are divided by their sum: there is no exp
exponential = score
# %% mistake: the maximum runs over the queries; each row needs its own
exponential = np.exp(score - score.max(axis=0, keepdims=True))
# %% mistake: this is the best key alone: the others' weights are missing
instead = lambda s: (s == s.max(axis=1, keepdims=True)).astype(float)
# %% mistake: these are the logarithms of the weights
return np.log(exponential / exponential.sum(axis=1, keepdims=True))
# %% mistake: the scores are clipped: subtract each row's largest one instead
exponential = np.exp(np.clip(score, -50, 50))
# %% mistake: the scores are divided by the root of their number; here they are not
exponential = np.exp(
    (score - score.max(axis=1, keepdims=True)) / np.sqrt(score.shape[1])
)
# %% mistake: they are divided by their number, not by their sum
return exponential / score.shape[1]
