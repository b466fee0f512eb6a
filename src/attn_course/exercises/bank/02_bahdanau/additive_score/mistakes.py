import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% there is no tanh
return hidden @ score_weight
# %% the tanh stands outside the product with score_weight
return np.tanh(hidden @ score_weight)


# %% query_weight and memory_weight are exchanged
def instead(q, m, W, U, v):
    return additive_score(q, m, U, W, v)


# %% the hidden layer is summed without score_weight
return np.tanh(hidden) @ np.ones_like(score_weight)


# %% each part has a tanh of its own; the sum should have one
def instead(q, m, W, U, v):
    return (np.tanh(q @ W)[:, :, None] + np.tanh(m @ U)[:, None]) @ v


# %% these are the weights; the softmax is not part of the score
return softmax(np.tanh(hidden) @ score_weight)
# %% the positions come before the queries: exchange the last two axes
return (np.tanh(hidden) @ score_weight).swapaxes(1, 2)
# %% query and memory are multiplied; they should be added
hidden = asked * (memory @ memory_weight)[:, None]
# %% the memory is subtracted; it should be added
hidden = asked - (memory @ memory_weight)[:, None]
# %% the score is divided by the root of A; additive scores are not
return np.tanh(hidden) @ score_weight / np.sqrt(len(score_weight))
# %% a sigmoid stands in place of the tanh
return (1 / (1 + np.exp(-hidden))) @ score_weight
# %% a ReLU stands in place of the tanh
return np.maximum(hidden, 0) @ score_weight
# %% there is a tanh too much: the score itself has none
return np.tanh(np.tanh(hidden) @ score_weight)
# %% the signs of score_weight are lost
return np.tanh(hidden) @ np.abs(score_weight)
# %% every sentence gets the first one's memory
hidden = asked + (memory @ memory_weight)[:1, None]
# %% the query goes through memory_weight
asked = (query @ memory_weight)[:, :, None]
# %% the memory goes through query_weight
hidden = asked + (memory @ query_weight)[:, None]
