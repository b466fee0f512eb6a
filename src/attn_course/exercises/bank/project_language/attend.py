"""Write `attend(query, key, value)`: causal attention of all heads at once. query (B,
H, T, K), key (B, H, S, K), value (B, H, S, V), S at least T. The last query stands at
the last key: query i sees the keys 0 to i + S - T. Returns the output (B, H, T, V) and
the weights (B, H, T, S).

1. A matrix product does all heads at once; the mask is the same for each of them.
2. The mask is True at (i, j) where j <= i + S - T: ones below a diagonal that is moved
   by S - T. Fill with -inf before the softmax.
3. score = query @ key, transposed, / root of K; -inf where the mask is False; weights =
   softmax over the last axis; return weights @ value, weights.
"""

title = "causal attention, all heads at once"
level, minutes = 2, 15
kind = "part"
before = "04.attention, 04.with_cache"
usual = "overflow afterwards zero -50 rootless"


def cases(rng):
    def draw(B, H, T, K, V, more=None):
        S = T + int(rng.integers(0, 4) if more is None else more)
        return normals(rng, (B, H, T, K), (B, H, S, K), (B, H, S, V))

    def blocked(query, key, value):
        return *behind(query, key, by=1000), value

    cases = fixed_cases(rng, draw, 5, long=(), large=strong, behind=blocked)
    cases.append(Case("length 100", draw(1, 2, 100, 3, 5)))
    cases.append(Case("as many queries as keys", draw(2, 3, 5, 7, 11, more=0)))
    return [*cases, Case("keys from before", draw(2, 3, 5, 7, 11, more=13))]


# %% solution
def attend(query, key, value):
    T, S, K = query.shape[2], *key.shape[2:]
    seen = np.tri(T, S, S - T, dtype=bool)
    score = query @ key.swapaxes(2, 3) / np.sqrt(K)
    weights = softmax(np.where(seen, score, -np.inf))
    return weights @ value, weights


# %% solution: torch
def attend_torch(query, key, value):
    ...  # (B, H, T, K), (B, H, S, K), (B, H, S, V); two arrays
    T, S, K = query.shape[2], *key.shape[2:]
    seen = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    score = query @ key.mT / K**0.5
    weights = torch.softmax(score.masked_fill(~seen, -torch.inf), 3)
    return weights @ value, weights


# %% solution: tf
def attend_tf(query, key, value):
    ...  # (B, H, T, K), (B, H, S, K), (B, H, S, V); two arrays
    T, S, K = tf.shape(query)[2], tf.shape(key)[2], key.shape[3]
    seen = tf.range(S) <= tf.range(T)[:, None] + S - T
    score = tf.matmul(query, key, transpose_b=True) / K**0.5
    weights = tf.nn.softmax(tf.where(seen, score, score.dtype.min))
    return weights @ value, weights


# %% mistake: the scale is missing: divide the scores by the root of K
score = query @ key.swapaxes(2, 3)
# %% mistake: the scores are divided by the root of S, the number of keys; it is K
score = query @ key.swapaxes(2, 3) / np.sqrt(S)
# %% mistake: no key is blocked: a query sees none that comes after it
weights = softmax(score)
# %% mistake: the mask begins at the first key: the last query stands at the last one
seen = np.tri(T, S, dtype=bool)
# %% mistake: a query doesn't see itself: it sees the keys up to its own
seen = np.tri(T, S, S - T - 1, dtype=bool) | (np.arange(S) == 0)
# %% mistake: a query sees one key too many: its own is the last
seen = np.tri(T, S, S - T + 1, dtype=bool)
# %% mistake: the mask is inverted: a query sees what came before it
seen = ~np.tri(T, S, S - T - 1, dtype=bool)
# %% mistake: the mask comes after the softmax: the rest no longer sums to 1
weights = softmax(score) * seen
# %% mistake: the softmax runs over the queries; every query has its own
weights = softmax(np.where(seen, score, -np.inf), axis=2)
# %% mistake: the weights are scores still: the softmax is missing
weights = np.where(seen, score, 0)
# %% mistake: the weights are returned first; the output is
return weights, weights @ value
# %% mistake: it returns the output alone; the weights too
return weights @ value
# %% mistake: a score is filled that is lower than none: subtracting 1 blocks nothing
weights = softmax(score - 1 + seen)
