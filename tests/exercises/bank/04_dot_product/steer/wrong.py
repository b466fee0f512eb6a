import numpy as np

# %% not done yet
lambda: None
# %% one query
lambda: (0, 1.5)
# %% two queries
lambda: ((-0.45, 1.43), (2, 2))
# %% zeros
lambda: ((0, 0), (0, 0), (0, 0))
# %% the keys themselves
lambda: ((0, 2), (1, 1), (-1, -1))
# %% keys of three numbers
lambda: ((0, 1, 0), (1, 1, 0), (0, 0, 1))
# %% not a number
lambda: ((np.nan, 1), (2, 2), (-0.7, -0.7))
# %% infinite
lambda: ((-0.45, 1.43), (np.inf, np.inf), (-0.7, -0.7))
# %% too far to the left
lambda: ((-1.4, 0.5), (2, 2), (-0.7, -0.7))
# %% even by having neither
lambda: ((-0.45, 1.43), (0, 0), (-0.7, -0.7))
# %% drank too long
lambda: ((-0.45, 1.43), (2, 2), (-1, -1))
# %% drank by turning from the cat alone
lambda: ((-0.45, 1.43), (2, 2), (-1, 0))
# %% text
lambda: ("milk", "even", "drank")
