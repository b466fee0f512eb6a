"""Find the bug. With this additive score a decoder trains, and looks at the same places
at every step, whatever it has written: query (B, T, D), memory (B, S, E), weights (D,
A), (E, A) and (A); output (B, T, S).

1. Add 5 to every score of a row: what becomes of its weights? What does the query add
   here?
2. Give the mapped query a new axis for positions and the mapped memory one for queries;
   their sum is (B, T, S, A).
3. np.tanh((query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]), then
   a product with score_weight.
"""

title = "find the bug in the additive score"
level, minutes = 2, 10
kind = "bug"
before = "broadcasting"


def cases(rng):
    def draw(B, T, S, D, E, A):
        return normals(rng, (B, T, D), (B, S, E), (D, A), (E, A), (A,))

    # In the first the query and the memory are equally wide, so that exchanging their
    # matrices passes the shape checks.
    return fixed_cases(
        rng, draw, 6, equal=3, long=(2,), large=scaled(50, 50, 1, 1, 300)
    )


# %% solution
def additive_score(query, memory, query_weight, memory_weight, score_weight):
    asked = (query @ query_weight)[:, :, None]  # (B, T, 1, A)
    hidden = asked + (memory @ memory_weight)[:, None]
    return np.tanh(hidden) @ score_weight


# %% starter
def additive_score(query, memory, query_weight, memory_weight, score_weight):
    asked = np.tanh(query @ query_weight)[:, :, None]
    held = np.tanh(memory @ memory_weight)[:, None]
    return (asked + held) @ score_weight


# %% mistake: there is no tanh
return hidden @ score_weight
# %% mistake: the tanh stands outside the product with score_weight
return np.tanh(hidden @ score_weight)
# %% mistake: query_weight and memory_weight are exchanged
instead = lambda q, m, W, U, v: additive_score(q, m, U, W, v)
# %% mistake: the hidden layer is summed without score_weight
return np.tanh(hidden) @ np.ones_like(score_weight)


# %% mistake: each part has a tanh of its own; the sum should have one
def instead(q, m, W, U, v):
    return (np.tanh(q @ W)[:, :, None] + np.tanh(m @ U)[:, None]) @ v


# %% mistake: these are the weights; the softmax is not part of the score
return softmax(np.tanh(hidden) @ score_weight)
# %% mistake: the positions come before the queries: exchange the last two axes
return (np.tanh(hidden) @ score_weight).swapaxes(1, 2)
# %% mistake: query and memory are multiplied; they should be added
hidden = asked * (memory @ memory_weight)[:, None]
# %% mistake: the memory is subtracted; it should be added
hidden = asked - (memory @ memory_weight)[:, None]
# %% mistake: the score is divided by the root of A; additive scores are not
return np.tanh(hidden) @ score_weight / np.sqrt(len(score_weight))
# %% mistake: a sigmoid stands in place of the tanh
return (1 / (1 + np.exp(-hidden))) @ score_weight
# %% mistake: a ReLU stands in place of the tanh
return np.maximum(hidden, 0) @ score_weight
# %% mistake: there is a tanh too much: the score itself has none
return np.tanh(np.tanh(hidden) @ score_weight)
# %% mistake: the signs of score_weight are lost
return np.tanh(hidden) @ np.abs(score_weight)
# %% mistake: every sentence gets the first one's memory
hidden = asked + (memory @ memory_weight)[:1, None]
# %% mistake: the query goes through memory_weight
asked = (query @ memory_weight)[:, :, None]
# %% mistake: the memory goes through query_weight
hidden = asked + (memory @ query_weight)[:, None]
# %% mistake: score_weight stands inside the tanh
return np.tanh(hidden * score_weight).sum(axis=-1)
