import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% it multiplies by the temperature; it divides
found = softmax(logits * temperature) * (logits >= least)
# %% the temperature is not used
found = softmax(logits) * (logits >= least)
# %% k is not used: every token may be drawn
found = softmax(logits / temperature)
# %% what is left does not sum to 1: divide by its sum
return found
# %% one token too many: k of them may be drawn
least = np.sort(logits, axis=1)[:, -min(k + 1, logits.shape[1]), None]
# %% one token too few: the k-th largest may be drawn too
found = softmax(logits / temperature) * (logits >= least)
least = np.sort(logits, axis=1)[:, -max(k - 1, 1), None]
# %% these are the k smallest; the largest may be drawn
found = softmax(logits / temperature) * (
    logits <= np.sort(logits, axis=1)[:, k - 1, None]
)
# %% the largest logit alone is left, whatever k is
least = logits.max(axis=1, keepdims=True)
# %% exp of a large logit overflows: subtract each row's largest one first
found = unsafe_softmax(logits / temperature) * (logits >= least)
# %% the softmax runs over the rows of the batch, not over the tokens
found = softmax(logits / temperature, axis=0) * (logits >= least)
# %% every row has the first row's limit
least = np.sort(logits, axis=1)[:1, -k, None]
# %% the dropped ones get a logit of 0, which is one like any other
found = softmax(np.where(logits >= least, logits / temperature, 0))
