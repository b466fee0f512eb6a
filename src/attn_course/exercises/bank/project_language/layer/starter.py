# %% torch
def my_layer(x, p, num_heads):
    ...  # (B, T, D), a dictionary; return (B, T, D), (B, H, T, T)

# %% tf
def my_layer(x, p, num_heads):
    ...  # (B, T, D), a dictionary; return (B, T, D), (B, H, T, T)
