"""Three of the faults that you have diagnosed stand in one function; mend it: the first
half of a pre-norm layer under a causal mask, with one head. x (T, D), three weights (D,
D); output (T, D). The norm has no scale and no bias. Scores may be as large as several
hundred.

1. Diagnose first: what does row 0 see, how large are the scores, what is left of the
   stream?
2. Print the mask for T = 3. And the stream of a pre-norm layer meets no norm: which
   vectors do?
3. rows = norm(x); a division by np.sqrt(key.shape[1]); np.tri(len(x)); no norm in the
   last line.
"""

title = "mend a run: three of the faults in one function"
level, minutes = 3, 20
kind = "bug"
before = "08.diagnose, 08.pre_norm"
usual = "overflow afterwards"


def cases(rng):
    def draw(T, D):
        D = max(D, 2)  # the norm of one number is a rounding, times 300
        weights = (rng.normal(size=(D, D)) / np.sqrt(D) for _ in range(3))
        return 1 + 2 * rng.normal(size=(T, D)), *weights

    def large(x, query_weight, key_weight, value_weight):
        return x, 200 * query_weight, 200 * key_weight, value_weight

    def behind(x, *weights):
        """The last row's key has the largest score for every row before it."""
        query_weight, key_weight = (np.zeros_like(each) for each in weights[:2])
        query_weight[0, 0], key_weight[0, 0] = 200, -200
        x[:, 0], x[-1, 0] = 50, -50
        return x, query_weight, key_weight, weights[2]

    x, *weights = draw(5, 7)
    small = Case("differences of a thousandth", (x / 1000, *weights))
    return [*fixed_cases(rng, draw, 2, large=large, behind=behind), small]


# %% solution
def first_half(x, query_weight, key_weight, value_weight):
    def norm(z):
        z = z - z.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5)

    rows = norm(x)
    query, key = rows @ query_weight, rows @ key_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    seen = np.tri(len(x), dtype=bool)
    weights = softmax(np.where(seen, score, -np.inf))
    return x + weights @ rows @ value_weight


# %% starter
rows = x
score = query @ key.T
seen = np.tri(len(x), len(x), 1, dtype=bool)
return norm(x + weights @ rows @ value_weight)
# %% mistake: the mask leaks: a row sees the next one
seen = np.tri(len(x), len(x), 1, dtype=bool)
# %% mistake: the scale is missing
score = query @ key.T
# %% mistake: the scale is the root of the width, not the width
score = query @ key.T / key.shape[1]
# %% mistake: a norm stands after the sum, and none before
rows = x
return norm(x + weights @ rows @ value_weight)
# %% mistake: a second norm stands after the sum
return norm(x + weights @ rows @ value_weight)
# %% mistake: what the part reads is not normalized
rows = x
# %% mistake: the way around is missing
return weights @ rows @ value_weight
# %% mistake: the way around is normalized
return rows + weights @ rows @ value_weight
# %% mistake: the norm is of what attention found, not of what it reads
rows = x
return x + norm(weights @ rows @ value_weight)
# %% mistake: the mask is upside down: a row sees itself and what follows
seen = ~np.tri(len(x), len(x), -1, dtype=bool)
# %% mistake: there is no mask
seen = np.ones((len(x), len(x)), bool)
# %% mistake: the values are the rows themselves
return x + weights @ rows
# %% mistake: values are made of x, without its norm
return x + weights @ x @ value_weight
# %% mistake: the softmax runs over the queries, not over the keys
weights = softmax(np.where(seen, score, -np.inf), axis=0)
# %% mistake: the norm runs along each vector, the last axis
z = z - z.mean(axis=0, keepdims=True)
return z / np.sqrt((z**2).mean(axis=0, keepdims=True) + 1e-5)
