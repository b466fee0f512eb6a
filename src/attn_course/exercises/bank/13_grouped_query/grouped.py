"""Write causal grouped-query attention for the last T of S positions: `grouped(query,
key, value)`, query (H, T, K), key (G, S, K), value (G, S, V); output (H, T, V). G
divides H, and the first H / G heads share key head 0. `softmax(score)` is given.

1. Give the query an axis for groups; each group has one key head.
2. query.reshape(G, H // G, T, K) against key[:, None].
3. score = rows @ key[:, None].swapaxes(2, 3) / np.sqrt(K), and the mask np.tri(T, S, S
   - T, dtype=bool).
"""

title = "grouped-query attention"
level, minutes = 2, 20
before = "04.with_cache, 06.split_heads"
usual = "overflow afterwards zero -50 unscaled width queries"


def cases(rng):
    def draw(G, group, T, extra, K, V):
        S = T + extra
        return normals(rng, (G * group, T, K), (G, S, K), (G, S, V))

    def large(query, key, value):
        heads = len(query) // len(key)
        pairs = [strong(q, key[h // heads]) for h, q in enumerate(query)]
        query, key = [q for q, _ in pairs], [k for _, k in pairs[::heads]]
        return np.stack(query), np.stack(key), value

    def blocked(query, key, value):
        key = np.stack([behind(key, each)[1] for each in key])  # the last key of each
        query[..., 0] = np.sqrt(query.shape[-1])
        return query, key, value

    def heads(query, key, value):
        return draw(2, 3, 5, 2, 3, 7)

    cases = fixed_cases(
        rng, draw, 6, equal=3, long=(2,), large=large, behind=blocked, heads=heads
    )
    cases.append(Case("as many key heads as heads", draw(5, 1, 3, 2, 7, 2)))
    cases.append(Case("one key head", draw(1, 5, 3, 2, 7, 2)))
    return [*cases, Case("no cache yet", draw(2, 3, 5, 0, 7, 2))]


# %% solution
def grouped(query, key, value):
    ...  # (H, T, K), (G, S, K), (G, S, V); return (H, T, V)
    H, T, K = query.shape
    G, S = key.shape[:2]
    rows = query.reshape(G, H // G, T, K)
    score = rows @ key[:, None].swapaxes(2, 3) / np.sqrt(K)
    allowed = np.tri(T, S, S - T, dtype=bool)
    weights = softmax(np.where(allowed, score, -np.inf))
    return (weights @ value[:, None]).reshape(H, T, -1)


# %% mistake: the heads are interleaved over the groups; head h uses h // (H / G)
def instead(q, k, v):
    return grouped(q, *(np.tile(x, (len(q) // len(x), 1, 1)) for x in (k, v)))


# %% mistake: the mask starts at the first key; query i stands at i + S - T
allowed = np.tri(T, S, dtype=bool)
# %% mistake: a query doesn't see its own position
allowed = np.tri(T, S, S - T - 1, dtype=bool)
# %% mistake: a query sees one position of the future
allowed = np.tri(T, S, S - T + 1, dtype=bool)
# %% mistake: there is no mask: queries see the future
weights = softmax(score)
# %% mistake: the mask stands after the softmax: rows no longer sum to 1
weights = softmax(score) * allowed
# %% mistake: the root is that of the value's width
score = rows @ key[:, None].swapaxes(2, 3) / np.sqrt(value.shape[2])
# %% mistake: the sign is wrong: the diagonal moves by S - T
allowed = np.tri(T, S, T - S, dtype=bool)
# %% mistake: the diagonal moves by a constant; it is S - T
allowed = np.tri(T, S, 2, dtype=bool)
# %% mistake: all heads use the first key head
score = rows @ key[:1, None].swapaxes(2, 3) / np.sqrt(K)
# %% mistake: all heads use the first head of keys and of values
instead = lambda q, k, v: grouped(q, k[:1], v[:1])
