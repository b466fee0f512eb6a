"""Write the indexer's choice, `index(query, key, weight, k)`: small heads query
(I, T, J), keys (T, J), weights (T, I); output (T, k): for each query the places of the
k keys before it or at its own place with the highest score, the best first, behind
them T where there are fewer. Of equal scores the first keys. The score of query t and
key s: weight[t, i] times relu(query[i, t] . key[s]), summed over i. No table of all
pairs: with 2,048 positions 3 MB may be held at a time.

1. A query needs only its own row of scores: it can be thrown away before the next.
2. Of a row, sort the negative scores stably: equal ones stay in the order of the keys.
3. np.argsort(-row, kind="stable")[:k] with row = weight[t] @ relu(query[:, t]
   @ key[: t + 1].T)
"""

title = "the indexer's choice, without a table of all pairs"
level, minutes = 2, 20
before = "argsort"


def cases(rng):
    def draw(T, J, heads, k):
        query, key = rng.normal(size=(heads, T, J)), rng.normal(size=(T, J))
        return query, key, rng.normal(size=(T, heads)), k

    # Scores that are whole numbers: equal ones are equal in any order of the sums.
    ties = [np.round(x) for x in draw(11, 2, 1, 0)[:3]]
    many = draw(2048, 4, 2, 8)
    return [
        *fixed_cases(rng, draw, 4),
        Case("many scores that are 0", (*ties, 3)),
        Case("more keys wanted than there are", draw(5, 3, 2, 7)),
        Case("2,048 positions", many, most=3 * 2**20),
    ]


# %% solution
def index(query, key, weight, k):
    ...  # (I, T, J), (T, J), (T, I), a number; return (T, k)
    T = query.shape[1]
    chosen = np.full((T, k), T)
    for t in range(T):
        row = weight[t] @ np.maximum(query[:, t] @ key[: t + 1].T, 0)
        best = np.argsort(-row, kind="stable")[:k]
        chosen[t, : len(best)] = best
    return chosen


# %% mistake: the ReLU is missing: a head that disagrees counts 0
row = weight[t] @ (query[:, t] @ key[: t + 1].T)
# %% mistake: the ReLU comes before the heads are weighted and summed, not after
row = np.maximum(weight[t] @ (query[:, t] @ key[: t + 1].T), 0)
# %% mistake: a query sees its own place too
row = weight[t] @ np.maximum(query[:, t] @ key[:t].T, 0)
# %% mistake: the future is chosen too
row = weight[t] @ np.maximum(query[:, t] @ key.T, 0)
# %% mistake: the heads are weighted, not only summed
row = np.maximum(query[:, t] @ key[: t + 1].T, 0).sum(axis=0)
# %% mistake: the best head decides; the sum of the heads was wanted
row = (weight[t][:, None] * np.maximum(query[:, t] @ key[: t + 1].T, 0)).max(axis=0)
# %% mistake: these are the lowest scores
best = np.argsort(row, kind="stable")[:k]
# %% mistake: of equal scores these are the last keys: the first were wanted
best = len(row) - 1 - np.argsort(-row[::-1], kind="stable")[:k]
# %% mistake: the best stands first, not the first place
chosen[t, : len(best)] = np.sort(best)
# %% mistake: behind the last place stands T
chosen = np.full((T, k), -1)
# %% mistake: one place is wanted of each query, the k best
best = np.argsort(-row, kind="stable")[: k - 1]
# %% mistake: the weights are those of the query, not of the first one
row = weight[0] @ np.maximum(query[:, t] @ key[: t + 1].T, 0)
# %% mistake: the weights take no root and no size: their sign counts
row = abs(weight[t]) @ np.maximum(query[:, t] @ key[: t + 1].T, 0)
