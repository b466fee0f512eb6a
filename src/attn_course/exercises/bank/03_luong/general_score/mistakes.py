import numpy as np

from attn_course.exercises.engine.exercise import softmax

# %% the weight is transposed
return query @ weight.T @ memory.swapaxes(1, 2)
# %% the weight is not used: this is the dot score
return query @ memory.swapaxes(1, 2)
# %% the positions come before the queries
return (query @ weight @ memory.swapaxes(1, 2)).swapaxes(1, 2)
# %% a softmax was taken; the score comes before it
return softmax(query @ weight @ memory.swapaxes(1, 2))
# %% the score is divided by the root of D; Luong's is not
return query @ weight @ memory.swapaxes(1, 2) / np.sqrt(query.shape[2])
# %% the score is divided by the root of E; Luong's is not
return query @ weight @ memory.swapaxes(1, 2) / np.sqrt(memory.shape[2])
# %% a tanh was taken; that is the concat score
return np.tanh(query @ weight @ memory.swapaxes(1, 2))
# %% the memory's axes are mixed by a reshape; exchange them
return query @ weight @ memory.reshape(len(memory), memory.shape[2], memory.shape[1])
# %% every sentence is compared with the first sentence's memory
return query @ weight @ memory[:1].swapaxes(1, 2)
# %% every sentence's query is the first's
return query[:1] + 0 * query @ weight @ memory.swapaxes(1, 2)
# %% the signs of the weight are lost
return query @ np.abs(weight) @ memory.swapaxes(1, 2)
# %% every sentence is asked the first one's query
return query[:1] @ weight @ memory.swapaxes(1, 2)
