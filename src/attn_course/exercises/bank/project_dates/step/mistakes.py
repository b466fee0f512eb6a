import numpy as np

from attn_course.exercises.engine.exercise import afterwards, softmax

# %% it returns the state before the step, not the new one
new = np.tanh(seen @ p["state_weight"] + p["state_bias"])
seen = np.concatenate([new, context], axis=1)
# %% the mask is not used
weights = softmax(score)
# %% the new state has no tanh
state = seen @ p["state_weight"] + p["state_bias"]
# %% the score has no tanh
score = (asked + memory @ p["memory_weight"]) @ p["score_weight"]
# %% the state's bias is missing
state = np.tanh(seen @ p["state_weight"])
# %% the output's bias is missing
return seen @ p["output_weight"], state
# %% the logits come first, then the state: they are exchanged
return state, seen @ p["output_weight"] + p["output_bias"]
# %% these are chances; logits come before the softmax
return softmax(seen @ p["output_weight"] + p["output_bias"]), state
# %% the weights are not normalized: the softmax is missing
weights = np.where(mask, score, 0)
# %% every token counts as token 0
seen = np.concatenate([p["target"][0 * token], context, state], axis=1)
# %% the context is the mean of the annotations
context = memory.mean(axis=1)
# %% the mask comes after the softmax, and the rest is brought to 1 again: block the
# scores before
weights = afterwards(score, mask)
