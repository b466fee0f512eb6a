import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(score) @ value
# %% the tanh is missing
hidden = query[:, :, None] + key[:, None]
# %% the softmax runs over the queries
return softmax(score, axis=1) @ value
# %% the softmax runs over the heads
return softmax(score, axis=0) @ value
# %% the scores are divided by the root of K; additive scores are not
score = (hidden * score_weight[:, None, None]).sum(axis=-1) / np.sqrt(query.shape[2])
# %% query and key are multiplied; they should be added
hidden = np.tanh(query[:, :, None] * key[:, None])
# %% query and key are subtracted; they should be added
hidden = np.tanh(query[:, :, None] - key[:, None])
# %% every head uses the first head's score weight
score = (hidden * score_weight[0]).sum(axis=-1)
# %% the score weight is not used
score = (hidden).sum(axis=-1)


# %% the tanh stands outside the sum
def instead(q, k, v, w):
    return (
        softmax(np.tanh(((q[:, :, None] + k[:, None]) * w[:, None, None]).sum(-1))) @ v
    )


# %% the mean over the width was taken; it is a sum
score = (hidden * score_weight[:, None, None]).mean(axis=-1)
# %% there is no softmax
return score @ value
# %% each part has a tanh of its own; the sum should have one
hidden = np.tanh(query)[:, :, None] + np.tanh(key)[:, None]
# %% these are the weights; the average of the values is missing
return softmax(score)
# %% a ReLU stands in place of the tanh
hidden = np.maximum(0, query[:, :, None] + key[:, None])


# %% that is the dot product's score
def instead(query, key, value, score_weight):
    return softmax(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2])) @ value


# %% there is a tanh too much: the score itself has none
score = np.tanh((hidden * score_weight[:, None, None]).sum(axis=-1))
