"""Predict, then measure. Every one of 4,096 keys has the score -8, the lowest that
QK-norm allows at width 64 with gains of 1; the sink's score is 0. What do the weights
of the row sum to? Enter your guess, then write `row_sum(count, score, sink)`.

1. The row sums to sigmoid(lse - b); what is lse of equal scores?
2. lse = score + ln(count).
3. 1 / (1 + np.exp(sink - score) / count)
"""

title = "predict what many bad keys weigh"
level, minutes = 2, 10
kind = "predict"
before = "04.entropy"
predict = "4,096 keys of score -8, a sink of 0"
ask = (4096, -8.0, 0.0)


def cases(rng):
    cases = [Case("the example of the text", (4096, -8.0, 0.0))]
    cases.append(Case("one key, as high as the sink", (1, 0.5, 0.5)))
    cases.append(Case("keys that fit", (3, 4.0, 1.0)))
    cases.append(Case("a high sink", (7, -1.0, 3.0)))
    for _ in range(4):
        score, sink = rng.uniform(-4, 2, size=2)
        given = int(rng.integers(2, 900)), float(score), float(sink)
        cases.append(Case("other numbers", given))
    return cases


# %% solution
def row_sum(count, score, sink):
    ...  # three numbers; return one
    lse = score + np.log(count)
    return 1 / (1 + np.exp(sink - lse))


# %% mistake: one key alone: all of them count
lse = score
# %% mistake: the count stands inside the logarithm
lse = score + count
# %% mistake: the score of equal keys is added to the logarithm, not multiplied
lse = score * np.log(count)
# %% mistake: this is the sink's share; the keys' is asked for
return 1 / (1 + np.exp(lse - sink))
# %% mistake: the sink's score is left out
return 1 / (1 + np.exp(-lse))
# %% mistake: the sign of the sink
return 1 / (1 + np.exp(-sink - lse))
# %% mistake: the weight of one key was returned
return 1 / (1 + np.exp(sink - lse)) / count
# %% mistake: the logarithm is the natural one
lse = score + np.log2(count)
