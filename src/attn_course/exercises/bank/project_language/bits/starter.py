# %% torch
def my_bits(logits, target, characters):
    ...  # (B, T, N), (B, T), a number; return a number

# %% tf
def my_bits(logits, target, characters):
    ...  # (B, T, N), (B, T), a number; return a number
