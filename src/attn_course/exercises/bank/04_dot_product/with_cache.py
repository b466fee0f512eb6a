"""Find the bug. Causal attention for a model that writes: the T new queries are the
last of S positions. query (T, K), key (S, K), value (S, V), output (T, V). It is right
as long as the cache is empty. `softmax(score)` is given.

1. With a cache, query 0 is not position 0.
2. Print the mask for 2 queries and 5 keys. Which key belongs to the last query?
3. np.tri has a third argument, which moves the diagonal.
"""

title = "find the bug in a cached decoder"
level, minutes = 2, 10
kind = "bug"
before = "00.weights"
usual = "overflow afterwards zero -50 -1e4 unscaled rootless queries keys"


def cases(rng):
    def draw(T, extra, K, V):
        return normals(rng, (T, K), (T + extra, K), (T + extra, V))

    cases = fixed_cases(
        rng, draw, 4, long=(0, 1), large=strong, low=weak, behind=behind
    )
    return [*cases, Case("no cache yet", draw(7, 0, 3, 2))]


# %% solution
def with_cache(query, key, value):
    score = query @ key.T / np.sqrt(key.shape[1])
    T, S = score.shape
    allowed = np.tri(T, S, S - T, dtype=bool)
    return softmax(np.where(allowed, score, -np.inf)) @ value


# %% starter
def with_cache(query, key, value):
    score = query @ key.T / np.sqrt(key.shape[1])
    allowed = np.tri(*score.shape, dtype=bool)
    return softmax(np.where(allowed, score, -np.inf)) @ value


# %% mistakes
def attention(query, key, value, mask):
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    highest = score.max(axis=1, keepdims=True)
    weights = np.exp(score - np.where(np.isinf(highest), 0.0, highest))
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total) @ value


def _shifted(query, key, value, by):
    T, S = len(query), len(key)
    mask = np.tri(T, S, S - T + by, dtype=bool)
    return attention(query, key, value, mask)


# %% mistake: queries and keys are aligned at the start; the last query stands on the
# last key
allowed = np.tri(T, S, 0, dtype=bool)
# %% mistake: a query sees the key after its own position
allowed = np.tri(T, S, S - T + 1, dtype=bool)
# %% mistake: a query does not see its own position
instead = lambda q, k, v: _shifted(q, k, v, -1)
# %% mistake: every query sees every key: nothing is causal
return softmax(score) @ value
# %% mistake: the sign is wrong: the diagonal moves by S - T, not by T - S
allowed = np.tri(T, S, T - S, dtype=bool)
# %% mistake: the mask is inverted
return softmax(np.where(~allowed, score, -np.inf)) @ value
# %% mistake: the diagonal moves by T; it is S - T
allowed = np.tri(T, S, T, dtype=bool)
# %% mistake: the mask comes after the softmax, so the rows no longer sum to 1
return (softmax(score) * allowed) @ value
# %% mistake: the keys of the cache are never seen
allowed = np.tri(T, S, S - T, dtype=bool) & (np.arange(S) >= S - T)
# %% mistake: the root is that of the value's width
score = query @ key.T / np.sqrt(value.shape[1])
# %% mistake: the diagonal moves by a constant; it is S - T
allowed = np.tri(T, S, 2, dtype=bool)
# %% mistake: only the keys of the cache are seen, none of the new ones
instead = lambda q, k, v: attention(
    q, k, v, np.arange(len(k)) < len(k) - len(q) + 0 * q[:, :1]
)
