"""Find the bug. This softmax passes every shape check: score (B, T, S), mask (B, T, S)
bool, True may attend; output (B, T, S). A row that may attend to nothing gives zeros.
Allowed scores may be of any size and sign.

1. Which row can no fill value serve? Nothing in it may get a weight.
2. What does the softmax give when all its scores are equally low? And is an allowed
   score always above the fill value?
3. Fill with -inf; subtract the row's maximum, or 0 where that is -inf; divide by the
   sum, or by 1 where that is 0.
"""

title = "find the bug in a masked softmax"
level, minutes = 2, 15
kind = "bug"
before = "00.weights, 01.padding_mask"


def cases(rng):
    def draw(B, T, S):
        mask = rng.random((B, T, S)) < 0.6
        mask[..., 0] |= ~mask.any(axis=-1)
        return rng.normal(size=(B, T, S)), mask

    def large(score, mask):
        # The blocked ones are the largest of all.
        score = score + 900 * (-1.0) ** np.arange(score.shape[1])[:, None]
        return np.where(mask, score, score + 4000), mask

    def behind(score, mask):
        return np.where(mask, score, score + 20000), mask

    def low(score, mask):
        mask[..., 0], mask[..., -1] = True, False
        return score - 12000, mask

    def lowest(score, mask):
        # So far apart that rounding to float32, by up to 128, decides nothing.
        mask[..., 0], mask[..., -1] = True, False
        return np.where(mask, 1e7 * score - 3e9, 0), mask

    more = {"empty": {1: cleared(0, 0)}, "full": {1: np.ones_like}, "behind": behind}
    more = {"large": large, "low": low, "lowest": lowest, **more}
    return fixed_cases(rng, draw, 3, long=(2,), **more)


# %% solution
def masked_weights(score, mask):
    score = np.where(mask, score, -np.inf)
    highest = score.max(axis=-1, keepdims=True)
    exponential = np.exp(score - np.where(np.isinf(highest), 0, highest))
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1, total)


# %% starter
def masked_weights(score, mask):
    score = np.where(mask, score, -1e9)
    exponential = np.exp(score - score.max(axis=-1, keepdims=True))
    return exponential / exponential.sum(axis=-1, keepdims=True)


# %% mistake: the weights sum to 1 over the queries, not over the keys
highest = score.max(axis=-2, keepdims=True)
total = exponential.sum(axis=-2, keepdims=True)
# %% mistake: the mask is read the wrong way round: True means may attend
score = np.where(~mask, score, -np.inf)
# %% mistake: the mask is not used
score = score
# %% mistake: the mask comes after the softmax, so the rows no longer sum to 1
instead = lambda s, mask: softmax(s) * mask
# %% mistake: a row that may attend to nothing is NaN; it should be zeros
instead = lambda s, mask: softmax(np.where(mask, s, -np.inf))
# %% mistake: a row that may attend to nothing averages all; it should be zeros
instead = lambda s, mask: softmax(np.where(mask, s, -1e9))
# %% mistake: a row that may attend to nothing averages all, and -1e4 is no low score
instead = lambda s, mask: softmax(np.where(mask, s, -1e4))
# %% mistake: -1e4 is no low score: an allowed one may be lower
instead = lambda s, mask: softmax(np.where(mask, s, -1e4)) * mask.any(-1)[..., None]
# %% mistake: -1e9 is no low score: an allowed one may be lower
instead = lambda s, mask: softmax(np.where(mask, s, -1e9)) * mask.any(-1)[..., None]
# %% mistake: -1e9 is added, and a blocked score may be larger by more
instead = lambda s, mask: softmax(s + np.where(mask, 0, -1e9)) * mask
# %% mistake: -50 is no low score: an allowed one may be lower
instead = lambda s, mask: softmax(np.where(mask, s, -50)) * mask.any(-1)[..., None]
# %% mistake: blocked scores are set to 0, which is a score like any other
instead = lambda s, mask: softmax(s * mask)
# %% mistake: 0 is a score like any other: blocked scores should be -inf
instead = lambda s, mask: softmax(s * mask) * mask.any(axis=-1, keepdims=True)
# %% mistake: exp of a large score overflows: subtract the largest allowed one
exponential = np.exp(score)
# %% mistake: a blocked score is the largest, and the allowed ones vanish beside it
instead = afterwards
# %% mistake: the weights are not divided by their sum
return exponential
