# %%
return attention + network + 6 * D
# %%
return 2 * attention + network + 4 * D
# %%
return 2 * attention + network + 3 * D
# %%
return 2 * attention + network
# %%
attention = 4 * D * D
# %%
network = 2 * D * F
# %%
network = (D + 1) * F
# %%
attention = 3 * D * (D + 1)
# %%
return 3 * attention + network + 6 * D
# %%
network = (D + 1) * F + F * D
# %%
network = D * F + (F + 1) * D
# %%
return 2 * attention + network + 6
# %%
return 2 * attention + network + 6 * F
# %%
network = (D + 1) * 4 * D + (F + 1) * D
# %%
return 2 * (attention + network) + 6 * D
# %%
return 2 * attention + network + 6.5 * D
