"""Write `merged(outputs, log_sums)`: outputs (rounds, T, V), of each round a softmax
over other keys, and log_sums (rounds, T), the log of each round's sum of exponentials,
which may be several hundred, or -inf where a round found nothing; output (T, V), one
softmax over all keys. `softmax(score, axis)` is given.

1. A round whose keys score higher counts for more.
2. Its share is exp(log_sum) over the sum of all rounds' exp(log_sum).
3. softmax(log_sums, axis=0)[:, :, None] * outputs, added up over the rounds
"""

title = "merge the rounds"
level, minutes = 2, 15
before = "04.attention"
usual = "overflow"


def cases(rng):
    def draw(R, T, V):
        return rng.normal(size=(R, T, V)), 2 * rng.normal(size=(R, T))

    def large(outputs, log_sums):
        signs = (-1.0) ** np.arange(log_sums.shape[1])  # by turns: one maximum won't do
        return outputs, log_sums + rng.choice([-900.0, 900.0]) * signs

    def empty(outputs, log_sums):
        outputs, log_sums = outputs.copy(), log_sums.copy()
        outputs[1:, 0], log_sums[1:, 0] = 0, -np.inf  # one round alone found something
        return outputs, log_sums

    return fixed_cases(rng, draw, 3, long=(1,), large=large, empty=empty)


# %% solution
def merged(outputs, log_sums):
    ...  # (rounds, T, V), (rounds, T); return (T, V)
    share = softmax(log_sums, axis=0)
    return (share[:, :, None] * outputs).sum(axis=0)


# %% mistake: the rounds are not equal: weigh them by their sums of exponentials
share = np.ones_like(log_sums) / len(log_sums)
# %% mistake: the shares of the rounds add up to 1, not those of the queries
share = softmax(log_sums, axis=1)
# %% mistake: the shares have to add up to 1
share = np.exp(log_sums)
# %% mistake: the logarithms are the shares: take their softmax
share = log_sums / log_sums.sum(axis=0)


# %% mistake: the largest round takes all
def instead(outputs, log_sums):
    return outputs[log_sums.argmax(axis=0), np.arange(log_sums.shape[1])]


# %% mistake: the weighted rounds are averaged; they should be added
return (share[:, :, None] * outputs).mean(axis=0)
# %% mistake: the rounds are not added
return share[:, :, None] * outputs
# %% mistake: the sum runs over the queries, not over the rounds
return (share[:, :, None] * outputs).sum(axis=1)
# %% mistake: the shares are not divided by their sum
share = np.exp(log_sums - log_sums.max(axis=0))
# %% mistake: the logarithms are clipped: subtract the largest instead
share = softmax(np.clip(log_sums, -50, 50), axis=0)
# %% mistake: the shares are divided by the number of rounds, not by their sum
share = np.exp(log_sums - log_sums.max(axis=0)) / len(log_sums)
# %% mistake: a share above a half counts as all
share = softmax(log_sums, axis=0) > 0.5
