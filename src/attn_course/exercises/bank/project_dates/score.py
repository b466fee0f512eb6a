"""Write `score(query, memory, W, U, v)`, the additive score for one step of the
decoder: query (B, D), memory (B, S, E), W (D, A), U (E, A), v (A); output (B, S).

1. One hidden vector of width A per position, then one number per position.
2. query @ W is (B, A) and memory @ U is (B, S, A): the first needs an axis for the
   positions.
3. tanh((query @ W)[:, None] + memory @ U), then the product with v.
"""

title = "score every character for one query"
level, minutes = 1, 5
kind = "part"
before = "02.additive_score"


def cases(rng):
    def draw(B, S, D, E, A):
        return normals(rng, (B, D), (B, S, E), (D, A), (E, A), (A,))

    return fixed_cases(rng, draw, 5, long=(1,))


# %% solution
def score(query, memory, W, U, v):
    asked = (query @ W)[:, None]
    return np.tanh(asked + memory @ U) @ v


# %% solution: torch
def score_torch(query, memory, W, U, v):
    ...  # (B, D), (B, S, E), (D, A), (E, A), (A); return (B, S)
    asked = (query @ W)[:, None]  # (B, 1, A)
    return torch.tanh(asked + memory @ U) @ v  # (B, S)


# %% solution: tf
def score_tf(query, memory, W, U, v):
    ...  # (B, D), (B, S, E), (D, A), (E, A), (A); return (B, S)
    asked = (query @ W)[:, None]  # (B, 1, A)
    return tf.linalg.matvec(tf.tanh(asked + memory @ U), v)  # (B, S)


# %% mistake: there is no tanh
return (asked + memory @ U) @ v
# %% mistake: the tanh stands outside the product with v
return np.tanh((asked + memory @ U) @ v)
# %% mistake: W and U are exchanged
instead = lambda query, memory, W, U, v: np.tanh((query @ U)[:, None] + memory @ W) @ v
# %% mistake: the hidden layer is summed without v
return np.tanh(asked + memory @ U).sum(axis=-1)
# %% mistake: each part has a tanh of its own; the sum should have one
return (np.tanh(asked) + np.tanh(memory @ U)) @ v
# %% mistake: query and memory are multiplied; they should be added
return np.tanh(asked * memory @ U) @ v
# %% mistake: the memory is subtracted; it should be added
return np.tanh(asked - memory @ U) @ v
# %% mistake: the score is divided by the root of A; additive scores are not
return np.tanh(asked + memory @ U) @ v / np.sqrt(len(v))
# %% mistake: these are the weights; the softmax comes in the next part
return softmax(np.tanh(asked + memory @ U) @ v)
# %% mistake: every sentence is asked the first one's query
asked = (query @ W)[:1, None]
# %% mistake: a ReLU stands in place of the tanh
return np.maximum(asked + memory @ U, 0) @ v
