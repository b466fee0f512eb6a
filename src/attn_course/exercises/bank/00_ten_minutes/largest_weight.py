"""Predict, then measure. One of 100 keys has a score of 5, the others 0: what is the
largest weight? Enter your guess, then write `largest_weight(gap, count)`: the largest
of `count` weights when one score is `gap` and the others are 0. The gap may be
negative, and as large as several hundred; the result is a number.

1. The softmax compares exp(5) = 148 with the sum of all: 148 and 99 ones.
2. Build the scores: zeros, and one gap. Then softmax, then the maximum.
3. score = np.zeros((1, count)); score[0, 0] = gap; softmax(score).max()
"""

title = "predict the largest weight"
level, minutes = 2, 10
kind = "predict"
before = "00.weights"
usual = "overflow"
predict = "the largest weight for a gap of 5 and 100 keys"
ask = (5.0, 100)


def cases(rng):
    cases = [Case("an axis of size 1", (float(rng.normal()), 1))]
    for count in (2, 3, 7):
        cases.append(Case("another number of keys", (float(rng.uniform(-3, 3)), count)))
    cases.append(Case("length 100", (float(rng.uniform(1, 5)), 100)))
    return [
        *cases,
        Case("scores of several hundred", (900.0, 5)),
        Case("scores of several hundred", (-900.0, 5)),
    ]


# %% solution
def largest_weight(gap, count):
    ...  # two numbers; return one
    score = np.zeros((1, count))
    score[0, 0] = gap
    return softmax(score).max()


# %% mistake: this is the weight of the key with the gap; below 0 it is not the largest
return softmax(score)[0, 0]
# %% mistake: this is the smallest weight
return softmax(score).min()
# %% mistake: there is one key too many
score = np.zeros((1, count + 1))
# %% mistake: every key has the gap, so all weights are equal
score[0] = gap
# %% mistake: this is the largest score; the softmax is missing
return score.max()
# %% mistake: it returns all weights, not the largest
return softmax(score)[0]
# %% mistake: the sign of the gap is lost
score[0, 0] = abs(gap)
# %% mistake: the weight is compared with one other key, not with count - 1 of them
score = np.zeros((1, min(count, 2)))
# %% mistake: the others' scores are 0, not 1
score = np.ones((1, count))
# %% mistake: the gap is a constant; it is handed over
score[0, 0] = 5
# %% mistake: the number of keys is a constant; it is handed over
score = np.zeros((1, 100))
