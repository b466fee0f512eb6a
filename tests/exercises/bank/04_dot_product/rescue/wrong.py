import numpy as np

# %% not done yet
lambda query, key: None
# %% unchanged
lambda query, key: (query, key)
# %% exchanged
lambda query, key: (key, query)
# %% one table
lambda query, key: query / 16
# %% transposed
lambda query, key: (query.T / 16, key.T)
# %% zeros
lambda query, key: (np.zeros((64, 256)), np.zeros((64, 256)))
# %% not a number
lambda query, key: (np.nan * query, key)
# %% both larger
lambda query, key: (2 * query, 2 * key)
# %% rounded
lambda query, key: (query.round(), key.round())
# %% signs alone
lambda query, key: (np.sign(query), np.sign(key))
# %% a mean taken away
lambda query, key: (query - query.mean(), key - key.mean())
# %% a third
lambda query, key: (query / 3, key)
# %% text
lambda query, key: ("query", "key")
