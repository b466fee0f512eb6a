import numpy as np

# %% not done yet
lambda: None
# %% zeros
lambda: np.zeros((3, 3))
# %% ones
lambda: np.ones((3, 3))
# %% identity
lambda: np.eye(3)
# %% a vector
lambda: np.array([0, 1, 0])
# %% two matrices
lambda: (np.eye(3, k=-1), np.eye(3))
# %% four rows
lambda: np.eye(4, k=-1)
# %% reversed
lambda: np.eye(3)[::-1]
# %% not a number
lambda: np.full((3, 3), np.nan)
# %% infinite
lambda: np.full((3, 3), np.inf)
# %% the other way round, and larger
lambda: 9 * np.eye(3, k=1)
# %% the year alone
lambda: np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
# %% text
lambda: "W"
