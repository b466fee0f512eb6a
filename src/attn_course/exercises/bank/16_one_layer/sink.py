"""Write `sink_softmax(score, mask, sink)`: score (H, T, S), mask (T, S) with True = may
attend, sink (H); output weights (H, T, S). A sink is one more score in the denominator,
without a weight of its own. A row without any key gives zeros.

1. Append the sink as a column, take the softmax, drop the column.
2. Hide with -inf before the column is added: the sink is never hidden.
3. np.concatenate([score, column], axis=-1), softmax, then [..., :-1]
"""

title = "softmax with a sink"
level, minutes = 2, 15
before = "04.attention"


def cases(rng):
    def draw(H, T, S, spread=2.0):
        mask = rng.random((T, S)) < 0.7
        mask[:, 0] = True
        return spread * rng.normal(size=(H, T, S)), mask, rng.normal(size=H)

    def empty(score, mask, sink):
        mask[1] = False
        return score, mask, sink

    def blocked(score, mask, sink):
        mask[:, -1] = False
        score[..., -1] = 1e4
        return score, mask, sink

    def shifted(score, mask, sink):
        return score - 30, mask, sink

    def large(score, mask, sink):
        score[0, 0, 0] = 900  # the exponential of which is infinite
        return score, mask, sink

    return [
        *sized(draw, (3, 3, 3), (2, 3, 5), (1, 5, 2)),
        Case("one key", draw(3, 2, 1)),
        Case("low scores", shifted(*draw(2, 3, 5))),
        Case("large scores", large(*draw(2, 5, 7, 400.0))),
        Case("a high score is hidden", blocked(*draw(2, 3, 5))),
        Case("an empty row", empty(*draw(2, 3, 5))),
    ]


# %% solution
def sink_softmax(score, mask, sink):
    ...  # (H, T, S), (T, S), (H); return (H, T, S)
    score = np.where(mask, score, -np.inf)
    column = np.broadcast_to(sink[:, None, None], (*score.shape[:2], 1))
    score = np.concatenate([score, column], axis=2)
    weights = np.exp(score - score.max(axis=2, keepdims=True))
    weights = weights / weights.sum(axis=2, keepdims=True)
    return weights[:, :, :-1]


# %% mistake: the sink's column is left in: drop it
return weights
# %% mistake: the sink stands first and the last key is dropped
score = np.concatenate([column, score], axis=2)
# %% mistake: the rows sum to 1 again: do not normalize once more
weights = weights[:, :, :-1]
return weights / np.maximum(weights.sum(axis=2, keepdims=True), 1e-9)
# %% mistake: the sink has the wrong sign
column = np.broadcast_to(-sink[:, None, None], (*score.shape[:2], 1))
# %% mistake: every head has the first head's sink
column = np.broadcast_to(sink[0], (*score.shape[:2], 1))
# %% mistake: this is the softmax off by one, a sink of 0: use the sink that is handed
# over
column = np.zeros((*score.shape[:2], 1))
# %% mistake: the mask is missing
score = np.array(score)
# %% mistake: True means may attend
score = np.where(mask, -np.inf, score)
# %% mistake: the largest score is not taken away: exp overflows
weights = np.exp(score)
# %% mistake: the mask comes after the softmax: block the scores before
score = score * 1.0
return weights[:, :, :-1] * mask


# %% mistake: the sink is missing: its exp belongs into the denominator
def instead(score, mask, sink):
    return np.nan_to_num(softmax(np.where(mask, score, -np.inf)))


# %% mistake: the sink itself stands in the denominator; it is exp(sink)
def instead(score, mask, sink):
    score = np.where(mask, score, -np.inf)
    weights = np.exp(score - score.max(axis=2, keepdims=True))
    total = weights.sum(axis=2, keepdims=True) + sink[:, None, None]
    return np.nan_to_num(weights / total)


# %% mistake: the row's largest score is not taken away from the sink
def instead(score, mask, sink):
    score = np.where(mask, score, -np.inf)
    weights = np.exp(score - score.max(axis=2, keepdims=True))
    total = weights.sum(axis=2, keepdims=True) + np.exp(sink[:, None, None])
    return np.nan_to_num(weights / total)
