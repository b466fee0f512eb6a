"""Write causal attention with a sliding window, `near(query, key, value, window)`:
query (n, K), key (n, K), value (n, V); each query sees `window` keys, its own position
the last of them; output (n, V). `softmax(score)` is given.

1. The distance i - j says all: 0 is the query itself.
2. Block what is not 0 <= i - j < window before the softmax.
3. np.where((back >= 0) & (back < window), score, -np.inf)
"""

title = "a window"
level, minutes = 2, 15
before = "04.attention"
usual = "overflow afterwards zero -50 unscaled queries keys"


def cases(rng):
    def draw(n, K, V, w):
        return *normals(rng, (n, K), (n, K), (n, V)), w

    cases = fixed_cases(rng, draw, 4, long=(0,), large=strong)
    wide = draw(5, 3, 2, 13)
    return [
        *cases,
        Case("a window longer than the sequence", wide),
        Case("the largest score is blocked", behind(*draw(7, 3, 2, 3))),
        Case("length 100", draw(100, 3, 2, 7)),
    ]


# %% solution
def near(query, key, value, window):
    ...  # (n, K), (n, K), (n, V), a number; return (n, V)
    n, K = query.shape
    back = np.arange(n)[:, None] - np.arange(n)
    score = query @ key.T / np.sqrt(K)
    seen = (back >= 0) & (back < window)
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% mistake: the window has one key too many: its own position counts
seen = (back >= 0) & (back <= window)
# %% mistake: the window has one key too few
seen = (back >= 0) & (back < window - 1)
# %% mistake: the future is seen
seen = back < window
# %% mistake: there is no window
seen = back >= 0
# %% mistake: the mask stands after the softmax: rows no longer sum to 1
return np.where(seen, softmax(score), 0) @ value
# %% mistake: the window looks ahead
back = np.arange(n) - np.arange(n)[:, None]
# %% mistake: a query doesn't see itself
seen = (back > 0) & (back < window)
# %% mistake: the window reaches into the future too
seen = np.abs(back) < window
# %% mistake: the root is that of the value's width
score = query @ key.T / np.sqrt(value.shape[1])
# %% mistake: the root is that of the window; it is K's
score = query @ key.T / np.sqrt(window)
# %% mistake: these are blocks; each query has a window of its own
seen = (back >= 0) & (back <= np.arange(n)[:, None] % window)
# %% mistake: the window is a constant; it is handed over
seen = (back >= 0) & (back < 3)


# %% mistake: zeros stand before the first key and get weights; nothing stands there
def instead(query, key, value, window):
    key, value = (np.pad(x, ((window - 1, 0), (0, 0))) for x in (key, value))
    ahead = np.arange(len(key)) - np.arange(len(query))[:, None]
    score = query @ key.T / np.sqrt(key.shape[1])
    seen = (ahead >= 0) & (ahead < window)
    return softmax(np.where(seen, score, -np.inf)) @ value
