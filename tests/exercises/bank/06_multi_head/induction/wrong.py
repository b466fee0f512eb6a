import numpy as np


# %% it raised TypeError: nothing is returned
def head(N):
    return 4 * (None,)


# %% not done yet
def head(N): ...


# %% it looks: zeros
def head(N):
    return 3 * (np.zeros((2 * N, N)),) + (np.eye(N),)


# %% return four matrices: three are
def head(N):
    return 3 * (np.ones((2 * N, N)),)


# %% return four matrices: one is
def head(N):
    return np.eye(N)


# %% expected
def head(N):
    return 4 * (np.eye(N),)


# %% it looks at random
def head(N):
    rng = np.random.default_rng(0)
    return *(9 * rng.normal(size=(2 * N, N)) for _ in range(3)), np.eye(N)


# %% the widths of query and key differ
def head(N):
    one = np.ones((2 * N, N))
    return one, one[:, :-1], one, np.eye(N)


# %% not a number
def head(N):
    return *(np.full((2 * N, N), np.nan) for _ in range(3)), np.eye(N)


# %% infinite
def head(N):
    return *(np.full((2 * N, N), np.inf) for _ in range(3)), np.eye(N)


# %% text
def head(N):
    return "query", "key", "value", "output"


# %% the head looks at itself and copies itself
def head(N):
    own = 99 * np.eye(2 * N)
    return own, own, np.eye(2 * N, N), np.eye(N)
