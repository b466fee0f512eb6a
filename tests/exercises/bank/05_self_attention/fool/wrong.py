import numpy as np

# %% not done yet
lambda animals, numbers: None
# %% the animals
lambda animals, numbers: animals
# %% backwards
lambda animals, numbers: np.arange(16)[::-1]
# %% by animal
lambda animals, numbers: np.argsort(animals)
# %% by number
lambda animals, numbers: np.argsort(numbers)
# %% one card again and again
lambda animals, numbers: np.zeros(16, int)
# %% fifteen cards
lambda animals, numbers: np.arange(15)
# %% counted from 1
lambda animals, numbers: np.arange(1, 17)
# %% places between
lambda animals, numbers: np.arange(16) + 0.5
# %% the cards turned by one
lambda animals, numbers: np.roll(np.arange(16), 1)
# %% the animals, laid out
lambda animals, numbers: np.sort(animals)
# %% a table
lambda animals, numbers: np.arange(16).reshape(4, 4)
# %% a number
lambda animals, numbers: 8
