# %% this matrix only moves: two numbers hold the last two letters
U = np.eye(2, k=-1)
# %% this adds the letters up: their order is lost
U = np.eye(2)
# %% letters overlap: 2 a + b can be reached in many ways, for letters up to 14
U = 2 * np.eye(2)
# %% the letters that are read last are lost: float32 has 24 bits, about 7 digits
U = 1000 * np.eye(2)
# %% the letters that are read first fade and are lost in the rounding
U = 0.01 * np.eye(2)
