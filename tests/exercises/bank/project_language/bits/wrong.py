import numpy as np

# %%
return -p[b, i, t].sum() / n
# %%
return -(p[b, i, t] / np.log(2)).sum() / t.size
# %%
return -(p[b, i, t] / np.log(2)).mean()
# %%
return -(p[b, i, t] / np.log(2)).mean() / n
# %%
return (p[b, i, t] / np.log(2)).sum() / n
# %%
return -(p[b, i, t] * np.log(2)).sum() / n
# %%
return -(p[b, i, t] / np.log(10)).sum() / n
# %%
return -(p[b, i, t] / np.log(2)) / n
# %%
return -np.exp(p[b, i, t]).sum() / n
# %%
return 2 ** (-(p[b, i, t] / np.log(2)).sum() / n)
# %%
p = l - np.log(np.exp(l).sum(1, keepdims=True))
# %%
p = l
# %%
l = l - 0
# %%
return -(l[b, i, t] / np.log(2)).sum() / n
# %%
return -(p.mean(-1) / np.log(2)).sum() / n
