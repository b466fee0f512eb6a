import numpy as np

# %% it looks at the earlier copy itself, not at what came after it
key_weight = np.concatenate([20 * np.sqrt(N) * one, none])
# %% it looks for what came before, not after: query and key are exchanged
query_weight = np.concatenate([none, one])
key_weight = np.concatenate([20 * np.sqrt(N) * one, none])
# %% it copies the token before: the value is the place's own token
value_weight = np.concatenate([none, one])
# %% it looks the right way, but not sharply: the scores must be larger
key_weight = np.concatenate([none, one])
# %% it forgets that scores are divided by the root of the keys' width
key_weight = np.concatenate([none, 8 * one])
# %% it looks away from the place: the sign of the scores is wrong
key_weight = np.concatenate([none, -20 * np.sqrt(N) * one])
# %% it looks nowhere: all scores are equal
key_weight = np.concatenate([none, none])
