# %% torch
def my_norm(x, scale):
    ...  # (B, T, D), (D); return (B, T, D)

# %% tf
def my_norm(x, scale):
    ...  # (B, T, D), (D); return (B, T, D)
