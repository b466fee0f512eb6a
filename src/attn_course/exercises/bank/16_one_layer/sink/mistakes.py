import numpy as np

from attn_course.exercises.engine.exercise import afterwards

# %% the sink's column is left in: drop it
return weights
# %% the sink stands first and the last key is dropped
score = np.concatenate([column, score], axis=2)
# %% the rows sum to 1 again: do not normalize once more
weights = weights[:, :, :-1]
return weights / np.maximum(weights.sum(axis=2, keepdims=True), 1e-9)
# %% the sink has the wrong sign
column = np.broadcast_to(-sink[:, None, None], (*score.shape[:2], 1))
# %% every head has the first head's sink
column = np.broadcast_to(sink[0], (*score.shape[:2], 1))
# %% this is the softmax off by one, a sink of 0: use the sink that is handed over
column = np.zeros((*score.shape[:2], 1))
# %% the mask is missing
score = np.array(score)
# %% True means may attend
score = np.where(mask, -np.inf, score)
# %% the largest score is not taken away: exp overflows
weights = np.exp(score)
# %% the mask comes after the softmax: block the scores before
score = score * 1.0
return weights[:, :, :-1] * mask
