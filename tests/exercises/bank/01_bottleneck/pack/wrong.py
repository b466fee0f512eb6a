import numpy as np

# %% not done yet
lambda: None
# %% zeros
lambda: (np.zeros((2, 2)), np.zeros(2))
# %% no W
lambda: 15 * np.eye(2)
# %% four numbers
lambda: (np.eye(4, k=-1), np.eye(4)[0])
# %% nothing is written
lambda: (15 * np.eye(2), np.zeros(2))
# %% the matrix of the section, cut
lambda: (np.eye(2, k=-1), np.array([1, 0]))
# %% it moves the other way
lambda: (np.eye(2, k=1), np.array([1, 0]))
# %% infinite
lambda: (1e30 * np.eye(2), np.array([1, 0]))
# %% not a number
lambda: (np.full((2, 2), np.nan), np.array([1, 0]))
# %% a mean
lambda: (0.5 * np.eye(2), 0.5 * np.array([1, 1]))
# %% exchanged
lambda: (np.array([1, 0]), 15 * np.eye(2))
# %% the numbers turn in a circle
lambda: (np.array([[0, 1], [1, 0]]), np.array([1, 0]))
# %% text
lambda: ("U", "W")
# %% forgotten at every step
lambda: (np.zeros((2, 2)), np.array([1, 1]))
