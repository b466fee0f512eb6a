"""Find the bug. This loop over blocks of `size` keys carries the average of the values so
far, in place of their sum: query (T, K), key (S, K), value (S, V), output (T, V). It is
right when one block holds all keys. With 2,048 keys, 3 MB may be held at a time: no
table of all pairs.

1. Follow two blocks whose highest scores are equal. How much does the first count?
2. The average of a block and all before it: each part counts by its share of the total.
3. This block has the share part.sum() / total, so the average so far has the rest.
"""

title = "find the bug in a tiled loop"
level, minutes = 2, 10
kind = "bug"
before = "04.attention"
usual = "unscaled rootless"


def cases(rng):
    def draw(T, S, K, V):
        return *normals(rng, (T, K), (S, K), (S, V)), 3

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
    highest, total, mean = np.full((len(query), 1), -np.inf), 0, 0
    for start in range(0, len(key), size):
        own = slice(start, start + size)
        block = query @ key[own].T / np.sqrt(key.shape[1])
        new = np.maximum(highest, block.max(axis=1, keepdims=True))
        kept, part = np.exp(highest - new), np.exp(block - new)
        more, highest = part.sum(axis=1, keepdims=True), new
        total = kept * total + more
        mean = mean + (part @ value[own] - more * mean) / total
    return mean


# %% starter
mean = kept * mean + part @ value[own] / total
# %% mistake: the old average is rescaled as a sum, not multiplied by its weight
mean = kept * mean + part @ value[own] / total
# %% mistake: the old average is not weighed at all
mean = mean + part @ value[own] / total
# %% mistake: the total is not rescaled when a larger score comes
total = total + more
# %% mistake: blocks are averaged as if they weighed the same
mean = (mean + part @ value[own] / part.sum(axis=1, keepdims=True)) / 2
# %% mistake: the values of the first block serve all blocks
mean = mean + (part @ value[:size][: block.shape[1]] - more * mean) / total
# %% mistake: the root is that of the block's size
block = query @ key[own].T / np.sqrt(size)
# %% mistake: the highest score so far is not kept
more, highest = part.sum(axis=1, keepdims=True), highest
# %% mistake: the first block's highest score serves all
new = highest if start else block.max(axis=1, keepdims=True)
# %% mistake: the sign is wrong: exp(old - new) shrinks
kept, part = np.exp(new - highest), np.exp(block - new)
# %% mistake: it is divided by the total twice
return mean / total
# %% mistake: the last block, which may be shorter, is left out
for start in range(0, len(key) - size + 1, size):
    ...
# %% mistake: the earlier blocks are lost
mean = part @ value[own] / total
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
