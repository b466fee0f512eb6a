import numpy as np

# %% not done yet
lambda: None
# %% one key
lambda: (1.7, 1.7)
# %% three keys
lambda: ((1.7, 1.7), (-1.5, -1.5), (0, 0))
# %% keys of three numbers
lambda: ((1.7, 1.7, 0), (-1.5, -1.5, 0))
# %% exchanged
lambda: ((-1.5, -1.5), (1.7, 1.7))
# %% zeros
lambda: ((0, 0), (0, 0))
# %% not a number
lambda: ((np.nan, np.nan), (-1.5, -1.5))
# %% infinite
lambda: ((np.inf, 0), (-1.5, -1.5))
# %% the cat's own key
lambda: ((2, 0), (-1.5, -1.5))
# %% the cat's key, longer
lambda: ((2.5, 0), (-1.5, -1.5))
# %% drank's key is not quiet enough
lambda: ((1.7, 1.7), (-0.3, -0.3))
# %% quiet for thirsty alone
lambda: ((1.7, 1.7), (-2.4, 0.6))
# %% quiet is too long
lambda: ((1.7, 1.7), (-2, -2))
# %% text
lambda: ("loud", "quiet")
