"""Write `weights(score, mask)`: a softmax over the positions that are there. score (B,
S), mask (B, S) bool, True may attend; output (B, S). Scores may be of any size and
sign. A row that may attend to nothing gives zeros, and its gradients are zeros too,
never NaN.

1. Blocked positions have to lose before the softmax; a row without any allowed one has
   to become zeros after it.
2. Fill blocked scores with the lowest finite number of the dtype, not with -inf: the
   difference of two infinities is NaN.
3. softmax(score, with the lowest number where the mask is False), times the mask.
"""

title = "weights by a softmax that padding can't enter"
level, minutes = 2, 10
kind = "part"
before = "02.masked_weights"
usual = "overflow"


def cases(rng):
    def draw(B, S):
        return rng.normal(size=(B, S)), rng.random((B, S)) < 0.6

    def large(score, mask):
        return score + 800 * (-1.0) ** np.arange(len(score))[:, None], mask

    def low(score, mask):
        mask[:, 0], mask[:, -1] = True, False
        return np.where(mask, score - 12000, score), mask

    def lowest(score, mask):
        mask[:, 0], mask[:, -1] = True, False
        return np.where(mask, 1e7 * score - 3e9, 0), mask

    def behind(score, mask):
        mask[:, 0], mask[:, -1], score[:, -1] = True, False, 900
        return score, mask

    more = {"empty": {1: cleared(0)}, "full": {1: np.ones_like}, "lowest": lowest}
    more = {"large": large, "low": low, "behind": behind, **more}
    return fixed_cases(rng, draw, 2, long=(1,), **more)


# %% solution
def weights(score, mask):
    low = np.finfo(score.dtype).min
    return softmax(np.where(mask, score, low)) * mask


# %% solution: torch
def weights_torch(score, mask):
    ...  # (B, S), (B, S) bool; return (B, S)
    low = torch.finfo(score.dtype).min  # finite, unlike -inf
    score = score.masked_fill(~mask, low)
    return torch.softmax(score, dim=1) * mask


# %% solution: tf
def weights_tf(score, mask):
    ...  # (B, S), (B, S) bool; return (B, S)
    low = score.dtype.min  # finite, unlike -inf
    score = tf.where(mask, score, low)
    return tf.nn.softmax(score) * tf.cast(mask, score.dtype)


# %% mistake: the mask is not used
return softmax(score)
# %% mistake: the mask comes after the softmax alone: rows no longer sum to 1
return softmax(score) * mask
# %% mistake: the mask is inverted: True may attend
return softmax(np.where(mask, low, score)) * ~mask
# %% mistake: a row that may attend to nothing averages all; it should be zeros
return softmax(np.where(mask, score, low))
# %% mistake: blocked scores are set to 0, which is a score like any other
return softmax(score * mask) * mask
# %% mistake: -1e4 is no low score: an allowed one may be lower
return softmax(np.where(mask, score, -1e4)) * mask
# %% mistake: -1e9 is no low score: an allowed one may be lower
return softmax(np.where(mask, score, -1e9)) * mask
# %% mistake: -50 is no low score: an allowed one may be lower
return softmax(np.where(mask, score, -50)) * mask
# %% mistake: the softmax runs over the batch, not over the positions
return softmax(np.where(mask, score, low), axis=0) * mask
# %% mistake: a row that may attend to nothing is NaN; it should be zeros
return softmax(np.where(mask, score, -np.inf))
# %% mistake: the mask comes after the softmax, and the rest is brought to 1 again:
# block the scores before
return afterwards(score, mask)
