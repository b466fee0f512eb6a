"""Find the bug. Attention over blocks of `size` keys: query (T, K), key (S, K), value
(S, V), output (T, V). It is right when one block holds all keys. With 2,048 keys, 3 MB
may be held at a time: no table of all pairs.

1. Print total and context after the second block. Which maximum belongs to each?
2. Everything that was summed up with the old maximum has to shrink.
3. total is multiplied by kept. What else was summed up?
"""

title = "find the bug in a tiled loop"
level, minutes = 2, 10
kind = "bug"
before = "04.attention"
usual = "unscaled rootless"


def cases(rng):
    def draw(T, S, K, V):
        sizes = (T, K), (S, K), (S, V)
        return *(rng.normal(size=size) for size in sizes), 3

    cases = fixed_cases(rng, draw, 4, long=(0, 1), large=strong)
    query, key, value, _ = draw(5, 7, 3, 2)
    asks, apart = 800 * np.ones((5, 3)), 3 * np.arange(7)[:, None]
    many = draw(2048, 2048, 4, 4)[:3]
    return [
        *cases,
        Case("scores that fall from block to block", (asks, key - apart, value, 2)),
        Case("scores that rise from block to block", (asks, key + apart, value, 2)),
        Case("one key at a time", (query, key, value, 1)),
        Case("one block of all keys", (query, key, value, 7)),
        Case("2,048 keys in blocks of 16", (*many, 16), most=3 * 2**20),
    ]


# %% solution
def tiled(query, key, value, size):
    highest, total, context = np.full((len(query), 1), -np.inf), 0, 0
    for start in range(0, len(key), size):
        own = slice(start, start + size)
        block = query @ key[own].T / np.sqrt(key.shape[1])
        new = np.maximum(highest, block.max(axis=1, keepdims=True))
        kept, part = np.exp(highest - new), np.exp(block - new)
        total = kept * total + part.sum(axis=1, keepdims=True)
        context = kept * context + part @ value[own]
        highest = new
    return context / total


# %% starter
context = context + part @ value[own]
# %% mistake: the context is not rescaled when a larger score comes
context = context + part @ value[own]
# %% mistake: the total is not rescaled when a larger score comes
total = total + part.sum(axis=1, keepdims=True)
# %% mistake: every block is averaged by itself
context = context + part @ value[own] / part.sum(axis=1, keepdims=True)
# %% mistake: the values of the first block serve all blocks
context = kept * context + part @ value[:size][: block.shape[1]]
# %% mistake: the root is that of the block's size
block = query @ key[own].T / np.sqrt(size)
# %% mistake: the highest score so far is not kept
highest = highest
# %% mistake: the first block's highest score serves all
new = highest if start else block.max(axis=1, keepdims=True)
# %% mistake: the sign is wrong: exp(old - new) shrinks
kept, part = np.exp(new - highest), np.exp(block - new)
# %% mistake: it is not divided by the total
return context
# %% mistake: the last block, which may be shorter, is left out
for start in range(0, len(key) - size + 1, size):
    ...
# %% mistake: the earlier blocks are lost
context = part @ value[own]
# %% mistake: the block's scores are not brought to the maximum
kept, part = np.exp(highest - new), np.exp(block)
# %% mistake: the total is that of all queries together
total = kept * total + part.sum()
# %% mistake: the highest score is that of all queries together
new = np.maximum(highest, block.max())


# %% mistake: only the first block is seen
def instead(query, key, value, size):
    return softmax(query @ key[:size].T / np.sqrt(key.shape[1])) @ value[:size]


# %% mistake: blocks have a constant size; it is handed over
for start in range(0, len(key), 4):
    ...
