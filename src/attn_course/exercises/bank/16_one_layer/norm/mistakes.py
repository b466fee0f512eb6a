import numpy as np

# %% that is a norm per head: the mean goes over all heads together
mean = (query**2).mean(axis=3, keepdims=True)
# %% the mean goes over positions; it goes over heads and columns
mean = (query**2).mean(axis=(1, 2), keepdims=True)
# %% the mean goes over positions too
mean = (query**2).mean(axis=(1, 2, 3), keepdims=True)
# %% a sum, where a mean is asked for
mean = (query**2).sum(axis=(1, 3), keepdims=True)
# %% the root is missing
return gain[:, None] * query / (mean + 1e-6)
# %% the gain is missing
return query / np.sqrt(mean + 1e-6)
# %% the gain is multiplied by 1 + gain: some models keep gain - 1, these do not
return (1 + gain[:, None]) * query / np.sqrt(mean + 1e-6)
# %% 1e-6 is missing
return gain[:, None] * query / np.sqrt(mean)
# %% 1e-6 is added to the root; it belongs under it
return gain[:, None] * query / (np.sqrt(mean) + 1e-6)
# %% that is the variance: the mean of the squares is asked for, as it is
mean = query.var(axis=(1, 3), keepdims=True)
