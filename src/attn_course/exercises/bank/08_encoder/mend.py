"""Find the faults; there are three of those that you have diagnosed. The attention of a
causal model that goes on from what it has kept: new rows x (T, D), past (S, D), the
rows before them with their positions added, places (P, D), the vectors of all
positions, and three weights (D, D). Output (T, D), and the rows to keep, (S + T, D).
Scores may be as large as several hundred.

1. Diagnose first: what does row 0 see, how large are the scores, which place does it
   get?
2. Print the mask for S = 2, T = 3: the first new row is position 2 and sees the keys 0
   to 2.
3. places[S : S + T]; a division by np.sqrt(key.shape[1]); np.tri(T, S + T, S)
"""

title = "mend a run: three of the faults in one function"
level, minutes = 3, 20
kind = "bug"
before = "08.diagnose, 04.with_cache"
usual = "overflow afterwards unscaled width"


def cases(rng):
    def draw(T, S, D):
        rows = rng.normal(size=(T, D)), rng.normal(size=(S, D))
        weights = (rng.normal(size=(D, D)) / np.sqrt(D) for _ in range(3))
        return *rows, rng.normal(size=(T + S + 2, D)), *weights

    def scored(x, past, places, weights):
        """Where the rows' first numbers alone are the scores, for the new row."""
        (query, key, value), D = weights, x.shape[1]
        query, key = 0 * query, 0 * key
        query[-1, 0], key[0, 0] = np.sqrt(D), 1
        for each in (x, past, places):
            each[:, -1] = each is not places
        places[:, 0] = 0
        return x, past, places, query, key, value

    def large(x, past, places, *weights):
        given = scored(x, past, places, weights)
        given[0][:, 0], given[1][:, 0] = rng.normal(size=len(x)), -900
        given[0][0, 0] = 900
        return given

    def behind(x, past, places, *weights):
        given = scored(x, past, places, weights)
        given[0][-1, 0] = 20000
        return given

    cases = fixed_cases(rng, draw, 3, large=large, behind=behind)
    return [*cases, Case("nothing is kept", draw(5, 0, 3))]


# %% solution
def attend(x, past, places, query_weight, key_weight, value_weight):
    T, S = len(x), len(past)
    rows = np.concatenate([past, x + places[S : S + T]])
    query, key = rows[S:] @ query_weight, rows @ key_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    seen = np.tri(T, S + T, S, dtype=bool)
    weights = softmax(np.where(seen, score, -np.inf))
    return weights @ (rows @ value_weight), rows


# %% starter
rows = np.concatenate([past, x + places[S + 1 : S + T + 1]])
score = query @ key.T
seen = np.tri(T, S + T, S + 1, dtype=bool)
# %% mistake: the cache is off by one: the first new row has place S
rows = np.concatenate([past, x + places[S + 1 : S + T + 1]])
# %% mistake: the mask leaks: a row sees the next one
seen = np.tri(T, S + T, S + 1, dtype=bool)
# %% mistake: new rows have the places after those that are kept, not the first ones
rows = np.concatenate([past, x + places[:T]])
# %% mistake: the mask forgets what is kept
seen = np.tri(T, S + T, dtype=bool)
# %% mistake: a row doesn't see itself
seen = np.tri(T, S + T, S - 1, dtype=bool)
# %% mistake: there is no mask
seen = np.ones((T, S + T), bool)
# %% mistake: places are missing
rows = np.concatenate([past, x])
# %% mistake: the values are the rows themselves
return weights @ rows, rows
# %% mistake: the rows to keep are all of them, not the new ones alone
return weights @ (rows @ value_weight), rows[S:]
# %% mistake: the softmax runs over the queries, not over the keys
weights = softmax(np.where(seen, score, -np.inf), axis=0)
