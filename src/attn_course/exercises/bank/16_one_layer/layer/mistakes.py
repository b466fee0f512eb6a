import numpy as np

# %% the bias is missing
gate = 1 / (1 + np.exp(-(x @ weight)))
# %% the sigmoid is missing
gate = x @ weight + bias
# %% this is a softmax over the heads; each head has a gate of its own
gate = np.exp(x @ weight + bias) / np.exp(x @ weight + bias).sum(-1, keepdims=True)
# %% this is tanh; a gate lies between 0 and 1
gate = np.tanh(x @ weight + bias)
# %% the gate is turned around: 0 closes it
gate = 1 / (1 + np.exp(x @ weight + bias))
# %% the context is added once more
return context + context * gate.swapaxes(1, 2)[..., None]
# %% every head has the first head's gate
return context * gate[:, None, :, :1]
# %% every position has the gate of the last one
return context * gate[:, -1, :, None, None]
# %% the bias is taken away: add it
gate = 1 / (1 + np.exp(-(x @ weight - bias)))
# %% every text has the first text's gate
return context * gate[:1].swapaxes(1, 2)[..., None]
