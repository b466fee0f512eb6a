"""Find the bugs; there are two. One step of decoding with grouped queries: query (H,
K), key (G, K) and value (G, V) of the new token, past_key (G, S, K) and past_value (G,
S, V) of the S tokens before it; output (H, V). S may be 0. `softmax(score)` is given.

1. Which keys may a token see? And which heads share a key head?
2. Look at `keys`, and at how the query is cut into groups.
3. np.concatenate([past_key, key[:, None]], axis=1), and query.reshape(G, H // G, K).
"""

title = "find the bugs in a decoding step"
level, minutes = 2, 15
kind = "bug"
before = "13.grouped"
usual = "overflow unscaled rootless"


def cases(rng):
    def draw(G, group, S, K, V):
        return normals(rng, (G * group, K), (G, K), (G, V), (G, S, K), (G, S, V))

    def heads(*given):
        return draw(2, 3, 5, 3, 7)

    cases = fixed_cases(
        rng, draw, 5, equal=3, long=(2,), heads=heads, large=scaled(800)
    )
    cases.append(Case("nothing in the cache yet", draw(2, 3, 0, 5, 7)))
    cases.append(Case("as many key heads as heads", draw(5, 1, 3, 7, 2)))
    return [*cases, Case("one key head", draw(1, 5, 3, 7, 2))]


# %% solution
def decode(query, key, value, past_key, past_value):
    keys = np.concatenate([past_key, key[:, None]], axis=1)
    values = np.concatenate([past_value, value[:, None]], axis=1)
    (H, K), G = query.shape, len(key)
    rows = query.reshape(G, H // G, K)
    score = rows @ keys.swapaxes(1, 2) / np.sqrt(K)
    return (softmax(score) @ values).reshape(H, -1)


# %% starter
def decode(query, key, value, past_key, past_value):
    keys, values = past_key, past_value
    (H, K), G = query.shape, len(key)
    rows = query.reshape(H // G, G, K).swapaxes(0, 1)
    score = rows @ keys.swapaxes(1, 2) / np.sqrt(K)
    context = softmax(score) @ values
    return context.swapaxes(0, 1).reshape(H, -1)


# %% mistake: the new token doesn't see itself: its key and value belong to the rest
keys = past_key
values = past_value


# %% mistake: the heads are interleaved over the groups
def instead(q, k, v, pk, pv):
    return decode(
        q,
        *(
            np.tile(x, (len(q) // len(x),) + (1,) * (x.ndim - 1))
            for x in (k, v, pk, pv)
        ),
    )


# %% mistake: queries are interleaved over the groups, and brought back by blocks
rows = query.reshape(H // G, G, K).swapaxes(0, 1)
# %% mistake: the output is interleaved over the groups, queries are cut by blocks
return (softmax(score) @ values).swapaxes(0, 1).reshape(H, -1)
# %% mistake: the new value stands before the past
values = np.concatenate([value[:, None], past_value], axis=1)
# %% mistake: the softmax runs over the heads of a group
return (softmax(score, axis=1) @ values).reshape(H, -1)
# %% mistake: the scores are not turned into weights
return (score @ values).reshape(H, -1)


# %% mistake: it is the new value alone
def instead(query, key, value, past_key, past_value):
    return np.repeat(value, len(query) // len(key), axis=0)


# %% mistake: the root is that of the value's width
score = rows @ keys.swapaxes(1, 2) / np.sqrt(value.shape[1])
# %% mistake: the root is that of the number of keys
score = rows @ keys.swapaxes(1, 2) / np.sqrt(keys.shape[1])
# %% mistake: the values are averaged without the weights
return ((0 * score + 1 / keys.shape[1]) @ values).reshape(H, -1)
