"""A library's call is given: query (B, T, K), key (B, S, K), value (B, S, V), with more
keys than queries or fewer, and its own causal mask. Read its documentation or its code,
and write in NumPy what it returns, `returned(query, key, value)`. The check runs the
call itself. Your answer must not call the library.

1. Two things to find: what the scores are divided by, and which keys query 0 may see.
2. Try it with equal queries and keys, S = T + 2 and values 0, 1, 2, ...: what is row 0?
3. The mask is np.tri(T, S): query t sees the keys 0 to t, whatever S is.
"""

title = "read real code: what does this call return?"
level, minutes = 2, 15
kind = "read"
before = "04.attention"


def cases(rng):
    def draw(B, T, S, K, V):
        return normals(rng, (B, T, K), (B, S, K), (B, S, V))

    query, key, value = draw(2, 5, 5, 3, 2)
    query, key = behind(query, key)  # the last key, which the last query alone may see
    return [
        Case("more keys than queries", draw(2, 3, 7, 5, 4)),
        Case("fewer keys than queries", draw(3, 7, 2, 4, 5)),
        Case("one query", draw(1, 1, 5, 3, 2)),
        Case("one key", draw(2, 5, 1, 3, 4)),
        Case("the largest score is blocked", (query, key, value)),
        Case("equal sizes", draw(5, 5, 5, 5, 5)),
    ]


def measure(framework, query, key, value):
    """The library's own call."""
    from attn_course.core import frameworks

    if framework == "torch":
        own = frameworks.torch.nn.functional.scaled_dot_product_attention
        return own(query, key, value, is_causal=True)
    layer = frameworks.keras.layers.Attention()
    return layer([query, value, key], use_causal_mask=True)


# %% solution
def returned(query, key, value):
    ...  # (B, T, K), (B, S, K), (B, S, V); return (B, T, V)
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    seen = np.tri(query.shape[1], key.shape[1]) > 0
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% solution: torch
def returned(query, key, value):
    """torch.nn.functional.scaled_dot_product_attention(
    query, key, value, is_causal=True)"""
    ...  # NumPy: (B, T, K), (B, S, K), (B, S, V); return (B, T, V)
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    seen = np.tri(query.shape[1], key.shape[1]) > 0
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% solution: tf
def returned(query, key, value):
    """keras.layers.Attention()(
    [query, value, key], use_causal_mask=True)"""
    ...  # NumPy: (B, T, K), (B, S, K), (B, S, V); return (B, T, V)
    score = query @ key.swapaxes(1, 2)  # no scale: use_scale is False
    seen = np.tri(query.shape[1], key.shape[1]) > 0
    return softmax(np.where(seen, score, -np.inf)) @ value


# %% mistake: the call returns: the last query sees all keys, not the first query one
seen = np.tri(query.shape[1], key.shape[1], key.shape[1] - query.shape[1]) > 0
# %% mistake: the call returns: no mask at all
seen = np.tri(query.shape[1], key.shape[1]) >= 0
# %% mistake: the call returns: a query does not see its own place
seen = np.tri(query.shape[1], key.shape[1], -1) > 0
# %% mistake: the call returns: the scores are divided by K, not by its root
score = query @ key.swapaxes(1, 2) / key.shape[2]
# %% mistake: the call returns: the softmax runs over the queries
return softmax(np.where(seen, score, -np.inf), axis=1) @ value
# %% mistake: the call returns: weights that are blocked before the softmax, not after
# it
return afterwards(score, seen) @ value
