"""Write `context(weights, memory)`: the weighted average of the annotations, weights
(B, S), memory (B, S, E); output (B, E). A row of zeros gives zeros.

1. One number per position times one vector per position, added up.
2. weights[:, None] is (B, 1, S), memory (B, S, E): a matrix product does the rest.
3. (weights[:, None] @ memory)[:, 0]
"""

title = "the context is a weighted average"
level, minutes = 1, 5
kind = "part"
before = "00.weights"


def score(query, memory, W, U, v):
    asked = (query @ W)[:, None]
    return np.tanh(asked + memory @ U) @ v


def weights(score, mask):
    low = np.finfo(score.dtype).min
    return softmax(np.where(mask, score, low)) * mask


def cases(rng):
    def draw(B, S, E):
        return softmax(rng.normal(size=(B, S))), rng.normal(size=(B, S, E))

    return fixed_cases(rng, draw, 3, long=(1,), empty={0: cleared(0)})


# %% solution
def context(weights, memory):
    return (weights[:, None] @ memory)[:, 0]


# %% solution: torch
def context_torch(weights, memory):
    ...  # (B, S), (B, S, E); return (B, E)
    return (weights[:, None] @ memory)[:, 0]


# %% solution: tf
def context_tf(weights, memory):
    ...  # (B, S), (B, S, E); return (B, E)
    return (weights[:, None] @ memory)[:, 0]


# %% mistake: it is the mean of the weighted annotations; their sum is the average
return (weights[:, :, None] * memory).mean(axis=1)
# %% mistake: it sums over the width, not over the positions
return (weights[:, :, None] * memory).sum(axis=2)
# %% mistake: the weights are not used: every position counts the same
return memory.mean(axis=1)
# %% mistake: the weights are not used: the annotations are added
return memory.sum(axis=1)
# %% mistake: it takes the best position's annotation alone
return memory[np.arange(len(memory)), weights.argmax(axis=1)]
# %% mistake: the weights pass a softmax again
return (softmax(weights)[:, None] @ memory)[:, 0]
# %% mistake: an axis of size 1 is left over: the output is (B, E)
return weights[:, None] @ memory
# %% mistake: every sentence gets the first one's weights
return (weights[:1, None] @ memory)[:, 0]
# %% mistake: every sentence gets the first one's annotations
return (weights[:, None] @ memory[:1])[:, 0]
