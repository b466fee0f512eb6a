import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax, unsafe_softmax


def additive_score(query, memory, query_weight, memory_weight, score_weight):
    asked = (query @ query_weight)[:, :, None]  # (B, T, 1, A)
    hidden = asked + (memory @ memory_weight)[:, None]
    return np.tanh(hidden) @ score_weight


# %% the mask is not used
score = np.tanh(hidden) @ score_weight
# %% the mask is inverted: True is a token
score = np.where(~mask[:, None], np.tanh(hidden) @ score_weight, -np.inf)


# %% the mask comes after the softmax, so the rows no longer sum to 1
def instead(q, m, mask, W, U, v):
    return (softmax(additive_score(q, m, W, U, v)) * mask[:, None]) @ m


# %% there is no tanh
score = np.where(mask[:, None], hidden @ score_weight, -np.inf)
# %% blocked scores are set to 0, which is a score like any other
score = np.where(mask[:, None], np.tanh(hidden) @ score_weight, 0.0)
# %% the softmax runs over the queries
return softmax(score, axis=1) @ memory
# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(score) @ memory
# %% every allowed position has the same weight
score = np.where(mask[:, None], 0 * hidden[..., 0], -np.inf)
# %% the queries are not used
hidden = 0 * (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]
# %% the scores are divided by a root; additive ones are not
return softmax(score / np.sqrt(hidden.shape[-1])) @ memory
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
score = np.tanh(hidden) @ score_weight
return afterwards(score, mask[:, None]) @ memory
