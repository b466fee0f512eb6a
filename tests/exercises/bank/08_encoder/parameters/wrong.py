# %%
attention = 4 * D * D
# %%
attention = 3 * D * (D + 1)
# %%
attention = 4 * D * D + 1
# %%
return attention + network
# %%
return attention + network + 2 * D
# %%
return attention + network + 4
# %%
return attention + network + 2 * F
# %%
network = 2 * D * F
# %%
network = (D + 1) * F + F * D
# %%
network = D * F + (F + 1) * D
# %%
network = (D + 1) * F
# %%
return 8 * (attention + network + 4 * D)
# %%
attention = 4 * 512 * (D + 1)
# %%
return attention + network + 4.5 * D
# %%
network = (D + 1) * 4 * D + (F + 1) * D
