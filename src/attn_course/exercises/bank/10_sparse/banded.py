"""10.window once more, for long texts: causal attention with a sliding window,
`banded(query, key, value, window)`, query (n, K), key (n, K), value (n, V); each query
sees `window` keys, its own position the last of them; output (n, V). With 2,048
positions and a window of 8, 3 MB may be held at a time and 2,000 lines of Python may
run: no table of all pairs, no loop over them. `softmax(score)` is given.

1. A query needs `window` scores, not n: which places do its keys have?
2. place = i - (0, 1, ..., window - 1) is an array (n, window), and key[place] gathers.
3. np.einsum("nk,nwk->nw", query, key[place]), blocked where place is below 0
"""

title = "a window of n × w scores, no T × T"
level, minutes = 2, 15
before = "10.window"
usual = "overflow zero -50 unscaled queries keys"


def cases(rng):
    def draw(n, K, V, w):
        return *normals(rng, (n, K), (n, K), (n, V)), w

    many = draw(2048, 4, 4, 8)
    query, key, *rest = strong(*draw(11, 3, 2, 13))
    key[0, 0] += 3  # behind the start stand its copies; where scores are low it loses
    return [
        *fixed_cases(rng, draw, 4, long=(0,)),
        Case("scores of several hundred", (query, key, *rest)),
        Case("a window longer than the sequence", draw(5, 3, 2, 13)),
        Case("the largest score is blocked", behind(*draw(7, 3, 2, 3))),
        Case("2,048 positions", many, most=3 * 2**20, lines=2000),
    ]


# %% solution
def banded(query, key, value, window):
    ...  # (n, K), (n, K), (n, V), a number; return (n, V)
    n, K = query.shape
    place = np.arange(n)[:, None] - np.arange(window)
    seen, place = place >= 0, np.maximum(place, 0)
    score = np.einsum("nk,nwk->nw", query, key[place]) / np.sqrt(K)
    weights = softmax(np.where(seen, score, -np.inf))
    return np.einsum("nw,nwv->nv", weights, value[place])


# %% mistake: the window has one key too many: its own position counts
place = np.arange(n)[:, None] - np.arange(window + 1)
# %% mistake: a query doesn't see itself
place = np.arange(n)[:, None] - 1 - np.arange(window)
# %% mistake: the window looks ahead
place = np.minimum(np.arange(n)[:, None] + np.arange(window), n - 1)
# %% mistake: before the first key nothing stands: the first one counts many times
seen, place = place >= -n * window, np.maximum(place, 0)
# %% mistake: places below 0 count from the end: the future is seen
seen, place = place >= -n * window, place % n
# %% mistake: the mask stands after the softmax: rows no longer sum to 1
weights = np.where(seen, softmax(score), 0)
# %% mistake: the values are those of the queries' own places
return np.einsum("nw,nv->nv", weights, value)
# %% mistake: the values stand in another order than the weights
return np.einsum("nw,nwv->nv", weights, value[place[:, ::-1]])
# %% mistake: the root is that of the value's width
score = np.einsum("nk,nwk->nw", query, key[place]) / np.sqrt(value.shape[1])
# %% mistake: the root is that of the window; it is K's
score = np.einsum("nk,nwk->nw", query, key[place]) / np.sqrt(window)
# %% mistake: the window is a constant; it is handed over
place = np.arange(n)[:, None] - np.arange(3)
