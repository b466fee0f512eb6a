# %% torch
def my_heads(x, p, num_heads):
    ...  # (B, T, D), maps (D, D); return (B, T, D), (B, H, T, T)

# %% tf
def my_heads(x, p, num_heads):
    ...  # (B, T, D), maps (D, D); return (B, T, D), (B, H, T, T)
