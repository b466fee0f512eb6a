import numpy as np

# %% one key alone: all of them count
lse = score
# %% the count stands inside the logarithm
lse = score + count
# %% the score of equal keys is added to the logarithm, not multiplied
lse = score * np.log(count)
# %% this is the sink's share; the keys' is asked for
return 1 / (1 + np.exp(lse - sink))
# %% the sink's score is left out
return 1 / (1 + np.exp(-lse))
# %% the sign of the sink
return 1 / (1 + np.exp(-sink - lse))
# %% the weight of one key was returned
return 1 / (1 + np.exp(sink - lse)) / count
# %% the logarithm is the natural one
lse = score + np.log2(count)
