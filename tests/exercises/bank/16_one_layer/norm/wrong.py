import numpy as np

# %%
flat = flat / np.sqrt((flat**2).mean() + 1e-6) * gain.reshape(-1)
# %%
flat = flat / np.sqrt((flat**2).sum(-1, keepdims=True) + 1e-6) * gain.reshape(-1)
# %%
flat = flat / np.sqrt((flat**2).mean(-1, keepdims=True) + 1e-6)
# %%
flat = flat / np.sqrt((flat**2).mean(-1, keepdims=True)) * gain.reshape(-1)
# %%
flat = flat / (np.sqrt((flat**2).mean(-1, keepdims=True)) + 1e-6) * gain.reshape(-1)
# %%
flat = flat / np.sqrt((flat**2).mean(1, keepdims=True) + 1e-6) * gain.reshape(-1)
# %%
flat = flat / np.sqrt(abs(flat).mean(-1, keepdims=True) + 1e-6) * gain.reshape(-1)
# %%
flat = flat / np.sqrt((flat**2).mean(-1, keepdims=True) + 1e-6) * (1 + gain.reshape(-1))
# %%
flat = flat / np.sqrt(flat.var(-1, keepdims=True) + 1e-6) * gain.reshape(-1)
# %%
flat = flat / np.sqrt((flat**2).mean(-1, keepdims=True) + 1e-5) * gain.reshape(-1)
# %%
flat = flat * np.sqrt((flat**2).mean(-1, keepdims=True) + 1e-6) * gain.reshape(-1)
# %%
return query / np.sqrt((query**2).mean(-1, keepdims=True) + 1e-6) * gain[:, None]
# %%
return flat.reshape(B, T, H, K)
# %%
flat = query.reshape(B, T, H * K)
