"""Find the bugs. Positive random features: x (T, K), rows (m, K) -> (T, m), so that
features of a query times features of a key are on average exp(query . key / sqrt(K)).
There are two faults.

1. Take x = 0: what must all features be, so that their squares sum to 1?
2. How is 1 / sqrt(K) shared between query and key? And which number makes a sum over
   features a mean?
3. y = x / K ** 0.25, and the whole divided by np.sqrt(len(rows)).
"""

title = "find the bugs in the random features"
level, minutes = 2, 15
kind = "bug"
before = "exponentials and means"


def cases(rng):
    def draw(T, K, m):
        return rng.normal(size=(T, K)), rng.normal(size=(m, K))

    cases = fixed_cases(rng, draw, 3, long=(2,))
    cases.append(Case("one feature of zeros", (np.zeros((2, 3)), np.ones((1, 3)))))
    return [
        *cases,
        Case("long vectors", (3 * rng.normal(size=(3, 5)), rng.normal(size=(7, 5)))),
    ]


# %% solution
def positive_features(x, rows):
    y = x / x.shape[1] ** 0.25
    half = (y**2).sum(axis=1, keepdims=True) / 2
    return np.exp(y @ rows.T - half) / np.sqrt(len(rows))


# %% starter
y = x / x.shape[1] ** 0.5
return np.exp(y @ rows.T - half)
# %% mistake: the features are not divided by the root of their number
return np.exp(y @ rows.T - half)
# %% mistake: they are divided by their number; by its root: query and key both are
return np.exp(y @ rows.T - half) / len(rows)
# %% mistake: x is divided by the root of K; query and key share it: K ** 0.25 each
y = x / x.shape[1] ** 0.5
# %% mistake: x is not divided at all
y = x
# %% mistake: half of the squared length is missing in the exponent
return np.exp(y @ rows.T) / np.sqrt(len(rows))
# %% mistake: the squared length is not halved
half = (y**2).sum(axis=1, keepdims=True)
# %% mistake: the squared length is that of x before it was divided
half = (x**2).sum(axis=1, keepdims=True) / 2
# %% mistake: the squared length is added
return np.exp(y @ rows.T + half) / np.sqrt(len(rows))
# %% mistake: it is divided by the root of K, not of the number of features
return np.exp(y @ rows.T - half) / np.sqrt(x.shape[1])
# %% mistake: the exponential is missing
return (y @ rows.T - half) / np.sqrt(len(rows))
# %% mistake: these are cosines, not the positive features
return np.cos(y @ rows.T) / np.sqrt(len(rows))
# %% mistake: the rows meet x itself; it should be divided first
return np.exp(x @ rows.T - half) / np.sqrt(len(rows))
# %% mistake: the squared length is that of the rows, not of x
half = (rows**2).sum(axis=1) / 2
# %% mistake: the squared lengths of all are summed
half = (y**2).sum() / 2
# %% mistake: the number of rows is a constant; it is handed over
return np.exp(y @ rows.T - half) / np.sqrt(16)
