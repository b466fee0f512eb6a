import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% there is no tanh
return (asked + memory @ U) @ v
# %% the tanh stands outside the product with v
return np.tanh((asked + memory @ U) @ v)


# %% W and U are exchanged
def instead(query, memory, W, U, v):
    return np.tanh((query @ U)[:, None] + memory @ W) @ v


# %% the hidden layer is summed without v
return np.tanh(asked + memory @ U).sum(axis=-1)
# %% each part has a tanh of its own; the sum should have one
return (np.tanh(asked) + np.tanh(memory @ U)) @ v
# %% query and memory are multiplied; they should be added
return np.tanh(asked * memory @ U) @ v
# %% the memory is subtracted; it should be added
return np.tanh(asked - memory @ U) @ v
# %% the score is divided by the root of A; additive scores are not
return np.tanh(asked + memory @ U) @ v / np.sqrt(len(v))
# %% these are the weights; the softmax comes in the next part
return softmax(np.tanh(asked + memory @ U) @ v)
# %% every sentence is asked the first one's query
asked = (query @ W)[:1, None]
# %% a ReLU stands in place of the tanh
return np.maximum(asked + memory @ U, 0) @ v
