# %%
lambda D, H, bias: 4 * H * D * (D + bias)
# %%
lambda D, H, bias: 3 * D * (D + bias)
# %%
lambda D, H, bias: 4 * D * D
# %%
lambda D, H, bias: 4 * D * (D + 1)
# %%
lambda D, H, bias: 4 * D * D + bias
# %%
lambda D, H, bias: 4 * D * D + D * bias
# %%
lambda D, H, bias: 4 * D // H * (D + bias)
# %%
lambda D, H, bias: (3 * H + 1) * D * (D + bias)
# %%
lambda D, H, bias: 4 * D * (512 + bias)
# %%
lambda D, H, bias: 4 * D * (D + bias) + 0.5
# %%
lambda D, H, bias: 4 * D * (D + 4 * bias)
# %%
lambda D, H, bias: 3 * D * D + D * (D + bias)
# %%
lambda D, H, bias: 4 * D * (D + H * bias)
# %%
lambda D, H, bias: 4 * D * D // H * (H // 2 + 1)
