# %% torch
def my_attend(query, key, value):
    ...  # (B, H, T, K), (B, H, S, K), (B, H, S, V); two arrays

# %% tf
def my_attend(query, key, value):
    ...  # (B, H, T, K), (B, H, S, K), (B, H, S, V); two arrays
