import numpy as np

# %%
return int((most * theta > 2 * np.pi).sum())
# %%
return int((most * theta < np.pi).sum())
# %%
return int((most * theta < 1).sum())
# %%
return int((most * theta < 360).sum())
# %%
return int((theta < 2 * np.pi).sum())
# %%
return int((most * theta < 2 * np.pi).mean())
# %%
return K // 2 - int((most * theta < 2 * np.pi).sum())
# %%
return 2 * int((most * theta < 2 * np.pi).sum())
# %%
return float((most * theta < 2 * np.pi).mean())
# %%
theta = base ** (-np.arange(K // 2) / K)
# %%
theta = base ** (2 * np.arange(K // 2) / K)
# %%
theta = 10000.0 ** (-2 * np.arange(K // 2) / K)
# %%
return int((8192 * theta < 2 * np.pi).sum())
# %%
theta = base ** (-2 * np.arange(K) / K)
# %%
lambda K, base, most: int((base ** (-2 * np.arange(K // 2) / K) * (most - 1) < 6).sum())
