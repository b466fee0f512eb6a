import numpy as np

# %% not done yet
lambda: None
# %% zeros
lambda: np.zeros((3, 4))
# %% ones
lambda: np.ones((3, 4))
# %% too large
lambda: 5 * np.eye(3, 4, k=-2)
# %% the table of the figure
lambda: np.array([[0.5, 0, 0, 0], [0, 0, 0, 0], [-0.5, 0, 0, 0]])
# %% the same, turned round
lambda: np.array([[-0.5, 0, 0, 0], [0, 0, 0, 0], [0.5, 0, 0, 0]])
# %% four rows
lambda: np.zeros((4, 4))
# %% one row
lambda: np.array([0, 0, 1, 0])
# %% all that the last place can give
lambda: np.array([[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]) * -1
# %% not a number
lambda: np.full((3, 4), np.nan)
# %% one-hot
lambda: np.eye(3, 4)
# %% two tables
lambda: (np.zeros((3, 4)), np.zeros((3, 4)))
# %% text
lambda: "places"
