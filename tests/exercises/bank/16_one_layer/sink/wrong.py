import numpy as np

# %%
return found / found.sum(-1, keepdims=True)
# %%
return found / (found.sum(-1, keepdims=True) + 1)
# %%
return found / (found.sum(-1, keepdims=True) + np.exp(-sink[:, None, None] - top))
# %%
return found / (found.sum(-1, keepdims=True) + sink[:, None, None])
# %%
return found / (found.sum(-2, keepdims=True) + np.exp(sink[:, None, None] - top))
# %%
return found / (found.sum() + np.exp(sink[:, None, None] - top))
# %%
return found / (found.sum(-1, keepdims=True) + np.exp(sink[:, None, None]))
# %%
return found
# %%
score = np.where(mask, score, 0)
# %%
score = np.where(~mask, score, -np.inf)
# %%
top = score.max(-1, keepdims=True)
# %%
return np.exp(score - top) / np.exp(score - top).sum(-1, keepdims=True) - np.exp(sink[:, None, None] - top)
# %%
return found / (found.sum(-1, keepdims=True) + np.exp(sink[0] - top))
# %%
return 1 / (1 + np.exp(top - sink[:, None, None])) * found
