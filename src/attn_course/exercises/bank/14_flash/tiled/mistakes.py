import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% the context is not rescaled when a larger score comes
context = context + part @ value[own]
# %% the total is not rescaled when a larger score comes
total = total + part.sum(axis=1, keepdims=True)
# %% every block is averaged by itself
context = context + part @ value[own] / part.sum(axis=1, keepdims=True)
# %% the scale is missing
block = query @ key[own].T
# %% the values of the first block serve all blocks
context = kept * context + part @ value[:size][: block.shape[1]]
# %% the scores are divided by K; it is the root of K
block = query @ key[own].T / key.shape[1]
# %% the root is that of the block's size
block = query @ key[own].T / np.sqrt(size)


# %% the highest score so far is not kept
def tiled(query, key, value, size):
    highest, total, context = np.full((len(query), 1), -np.inf), 0, 0
    for start in range(0, len(key), size):
        own = slice(start, start + size)
        block = query @ key[own].T / np.sqrt(key.shape[1])
        new = np.maximum(highest, block.max(axis=1, keepdims=True))
        kept, part = np.exp(highest - new), np.exp(block - new)
        total = kept * total + part.sum(axis=1, keepdims=True)
        context = kept * context + part @ value[own]
    return context / total


# %% the sign is wrong: exp(old - new) shrinks
kept, part = np.exp(new - highest), np.exp(block - new)
# %% it is not divided by the total
return context
# %% the last block, which may be shorter, is left out
for start in range(0, len(key) - size + 1, size):
    ...
# %% the earlier blocks are lost
context = part @ value[own]
# %% the block's scores are not brought to the maximum
kept, part = np.exp(highest - new), np.exp(block)
# %% the total is that of all queries together
total = kept * total + part.sum()
# %% the highest score is that of all queries together
new = np.maximum(highest, block.max())


# %% only the first block is seen
def instead(query, key, value, size):
    return softmax(query @ key[:size].T / np.sqrt(key.shape[1])) @ value[:size]


# %% blocks have a constant size; it is handed over
for start in range(0, len(key), 4):
    ...
