# %% torch
def my_chances(logits, temperature, k):
    ...  # (B, N), two numbers; return (B, N)

# %% tf
def my_chances(logits, temperature, k):
    ...  # (B, N), two numbers; return (B, N)
