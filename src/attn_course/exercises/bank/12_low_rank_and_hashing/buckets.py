"""Write `buckets(x, directions)`: x (S, K), directions (rounds, K, N), N of each round;
output (rounds, S), whole numbers from 0 to 2 N - 1. Every direction has an opposite:
the bucket is the number of the one that x is most alike, first the N directions of the
round, then their N opposites.

1. Which of 2 N directions has the largest product with x?
2. The products with the opposites are the negative products.
3. np.argmax(np.concatenate([product, -product], axis=2), axis=2)
"""

title = "hash vectors into buckets"
level, minutes = 1, 10
before = "argmax"


def cases(rng):
    def draw(S, K, N, R):
        return rng.normal(size=(S, K)), rng.normal(size=(R, K, N))

    cases = fixed_cases(rng, draw, 4)
    x, directions = draw(11, 3, 2, 5)
    return [*cases, Case("scores of several hundred", (300 * x, directions))]


# %% solution
def buckets(x, directions):
    ...  # (S, K), (rounds, K, N); return (rounds, S)
    product = x @ directions
    return np.argmax(np.concatenate([product, -product], axis=2), axis=2)


# %% mistake: the opposites are missing
return np.argmax(product, axis=2)
# %% mistake: the directions come first, and the largest product wins
return np.argmax(np.concatenate([-product, product], axis=2), axis=2)
# %% mistake: the largest in size is the direction or its opposite: say which
return np.argmax(np.abs(product), axis=2)
# %% mistake: the numbers count from 0, not from 1
return np.argmax(np.concatenate([product, -product], axis=2), axis=2) + 1
# %% mistake: the choice is among directions, not among positions
return np.argmax(np.concatenate([product, -product], axis=2), axis=1)


# %% mistake: the signs are read as a number; the most alike direction was asked for
def instead(x, directions):
    return ((x @ directions) > 0) @ 2 ** np.arange(directions.shape[2])


# %% mistake: the result is transposed: one row per round
return np.argmax(np.concatenate([product, -product], axis=2), axis=2).T
# %% mistake: every round uses the first one's directions
product = x @ directions[:1]
# %% mistake: the opposites stand below the directions, not beside them
return np.argmax(np.concatenate([product, -product], axis=1), axis=2)
