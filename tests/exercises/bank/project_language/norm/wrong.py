import numpy as np

# %%
return scale * x * np.mean(x * x, -1, keepdims=True) ** -0.5
# %%
return scale * x * (np.sum(x * x, -1, keepdims=True) + 1e-6) ** -0.5
# %%
return scale * x * (np.mean(x * x, -2, keepdims=True) + 1e-6) ** -0.5
# %%
return scale * x * (np.mean(x * x, (1, 2), keepdims=True) + 1e-6) ** -0.5
# %%
return scale * x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** 0.5
# %%
return scale * x / (np.mean(x * x, -1, keepdims=True) + 1e-6)
# %%
return x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5
# %%
return scale + x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5
# %%
return (1 + scale) * x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5
# %%
return scale * x * (np.mean(x * x, -1, keepdims=True) + 1e-5) ** -0.5
# %%
return scale * x * (np.var(x, -1, keepdims=True) + 1e-6) ** -0.5
# %%
return scale * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
# %%
return scale * x / np.abs(x).mean(-1, keepdims=True)
# %%
return scale * x * (np.mean(x, -1, keepdims=True) ** 2 + 1e-6) ** -0.5
