import numpy as np

# %% it looks at its own position: shift the queries by one
shift = np.eye(T)
# %% it looks at the next position, which is masked: the shift has the wrong sign
shift = np.eye(T, k=1)
# %% it looks the right way, but not sharply: the scores must be larger
key_weight = np.concatenate([np.zeros((N, T)), np.eye(T)])
# %% it forgets that scores are divided by the root of the keys' width
key_weight = np.concatenate([np.zeros((N, T)), 8 * np.eye(T)])
# %% the position is copied, not the token
value_weight = np.concatenate([np.zeros((N, N)), np.eye(T, N)])
