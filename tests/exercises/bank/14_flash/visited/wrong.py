# %%
b = n // c
# %%
return b * b
# %%
return b * (b - 1) // 2
# %%
return b * b // 2
# %%
return n * (n + 1) // 2
# %%
return b
# %%
return b * (b + 1)
# %%
return b * (b + 1) / 3
# %%
b = n // c + 1
# %%
b = round(n / c)
# %%
b = -(-n // 128)
# %%
b = 32
# %%
return 2 * b - 1
# %%
return (b + 1) * (b + 2) // 2
# %%
return n * (n + 1) // 2 // c**2
