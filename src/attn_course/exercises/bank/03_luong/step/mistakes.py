import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
weights = unsafe_softmax(score)
# %% it asks with the state before the step: that is Bahdanau's query
score = (memory @ state[:, :, None])[:, :, 0]
# %% it feeds the recurrent state, not the attentional state
seen = np.concatenate([x, state], axis=1)
# %% context and hidden state are joined in the other order
return np.tanh(np.concatenate([hidden, context], axis=1) @ combine)
# %% the tanh of the attentional state is missing
return np.concatenate([context, hidden], axis=1) @ combine
# %% the attentional state is fed before x
seen = np.concatenate([attentional, x], axis=1)
# %% the attentional state takes the recurrent state's place too
hidden = np.tanh(seen @ input_weight + attentional @ state_weight)
# %% the recurrent state does not enter the step
hidden = np.tanh(seen @ input_weight)
# %% the tanh of the hidden state is missing
hidden = seen @ input_weight + state @ state_weight
# %% the scores are not turned into weights
weights = score
# %% the weights sum to 1 over the batch
weights = softmax(score, axis=0)
# %% the attentional state joins old state and context
return np.tanh(np.concatenate([context, state], axis=1) @ combine)
# %% it returns the hidden state, not the attentional one
return hidden
# %% the context is the mean of the memory
context = memory.mean(axis=1)
# %% it asks with the attentional state
score = (memory @ attentional[:, :, None])[:, :, 0]
# %% the attentional state joins the one that was fed
return np.tanh(np.concatenate([context, attentional], axis=1) @ combine)
# %% state_weight is transposed
hidden = np.tanh(seen @ input_weight + state @ state_weight.T)
# %% the scores are divided by the root of H; here they are not
weights = softmax(score / np.sqrt(state.shape[1]))
