"""Find the bug, which most inputs don't show. Attention for one head: query (T, K), key
(S, K), value (S, V), mask (T, S) bool, True may attend; output (T, V). A query that may
see nothing gets zeros; scores may be of any size and sign. `softmax(score)` is given.

1. What does the softmax leave to the others if a blocked score is larger by 1,000?
2. Set blocked scores to -inf. A row of -inf alone has no maximum to subtract and no sum
   to divide by.
3. highest = score.max(axis=1, keepdims=True); subtract it, or 0 where it is -inf;
   divide by the sum, or by 1 where it is 0.
"""

title = "find the bug in attention with a mask"
level, minutes = 2, 15
kind = "bug"
before = "00.weights, 02.masked_weights"
usual = "zero rootless"


def cases(rng):
    def draw(T, S, K, V):
        mask = rng.random((T, S)) < 0.6
        mask[:, 0] |= ~mask.any(axis=1)
        return *normals(rng, (T, K), (S, K), (S, V)), mask

    def blocked(query, key, value, mask):
        mask[:, -1] = False
        return *behind(query, key), value, mask

    def low(query, key, value, mask):
        mask[:, 0], mask[:, -1] = True, False
        return weak(query, key, value, mask)

    def lowest(query, key, value, mask):
        query, key, *rest = low(query, key, value, mask)
        query[:, 0] *= 250000  # every allowed score is near -3e9, the blocked one 0
        key[:, 0] += np.arange(len(key)) / 100
        key[-1] = 0
        return query, key, *rest

    more = {"empty": {3: cleared(-1)}, "full": {3: np.ones_like}, "lowest": lowest}
    more = {"behind": blocked, "low": low, **more}
    return fixed_cases(rng, draw, 4, long=(0, 1), large=strong, **more)


# %% solution
def attention(query, key, value, mask):
    ...  # (T, K), (S, K), (S, V), (T, S); return (T, V)
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    highest = score.max(axis=1, keepdims=True)
    weights = np.exp(score - np.where(np.isinf(highest), 0.0, highest))
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total) @ value


# %% starter
def attention(query, key, value, mask):
    score = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(score) * mask
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ value


# %% mistakes
def _filled(query, key, value, mask, fill):
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), fill)
    return softmax(score) * mask.any(axis=1)[:, None] @ value


# %% mistake: the scale is missing: divide the scores by the root of K
score = np.where(mask, query @ key.T, -np.inf)
# %% mistake: the scores are divided by the square of K; it is the root
score = np.where(mask, query @ key.T / key.shape[1] ** 2, -np.inf)
# %% mistake: the scores are divided by the root of S, the number of keys; it is K
score = np.where(mask, query @ key.T / np.sqrt(key.shape[0]), -np.inf)
# %% mistake: the scores are divided by the root of T, the number of queries; it is K
score = np.where(mask, query @ key.T / np.sqrt(query.shape[0]), -np.inf)
# %% mistake: the scores are divided by the root of V; it is the root of K
score = np.where(mask, query @ key.T / np.sqrt(value.shape[1]), -np.inf)
# %% mistake: the softmax runs over the queries; every query has its own
highest = score.max(axis=0, keepdims=True)
total = weights.sum(axis=0, keepdims=True)
# %% mistake: the average runs over the queries: the weights are transposed
return (weights / np.where(total == 0, 1.0, total)).T @ value
# %% mistake: the mask is inverted; True may attend
score = np.where(~mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
# %% mistake: the mask comes after the softmax; the rest no longer sums to 1
instead = lambda q, k, v, mask: softmax(q @ k.T / np.sqrt(k.shape[1])) * mask @ v
# %% mistake: the mask is ignored
instead = lambda q, k, v, mask: attention(q, k, v, np.ones_like(mask))
# %% mistake: a query that may see nothing gets NaN; it should get 0
return weights / total @ value
# %% mistake: a query that may see nothing gets the mean of all; it should get 0
score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -1e9)
# %% mistake: -1e4 is no low score, and a query that may see nothing should get 0
score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -1e4)
# %% mistake: exp of a large score overflows: subtract each row's largest one first
weights = np.exp(score)
# %% mistake: the weights are not divided by their sum
return weights @ value
# %% mistake: -1e4 is no low score: an allowed one may be lower
instead = lambda q, k, v, mask: _filled(q, k, v, mask, -1e4)
# %% mistake: -50 is no low score: an allowed one may be lower
instead = lambda q, k, v, mask: _filled(q, k, v, mask, -50)
# %% mistake: 0 is a score like any other: blocked scores should be -inf
instead = lambda q, k, v, mask: _filled(q, k, v, mask, 0)
# %% mistake: the keys are averaged, not the values
return weights / np.where(total == 0, 1.0, total) @ key
# %% mistake: the largest score of all is subtracted: rows far below it become 0
highest = score.max()


# %% mistake: True adds 1 to a score; it should block where it is False
def instead(query, key, value, mask):
    return softmax(query @ key.T / np.sqrt(key.shape[1]) + mask) @ value


# %% mistake: the mask comes after the softmax, and the rest is brought to 1 again:
# block the scores before
def instead(query, key, value, mask):
    return afterwards(query @ key.T / np.sqrt(key.shape[1]), mask) @ value
