import numpy as np

from attn_course.exercises import softmax

# %%
keys = past_k.repeat(n, 0)
# %%
values = past_v.repeat(n, 0)
# %%
values = np.concatenate([v[:, None], past_v], 1).repeat(n, 0)
# %%
keys = np.concatenate([past_k, k[:, None]], 1).repeat(n, 0)[::-1]
values = np.concatenate([past_v, v[:, None]], 1).repeat(n, 0)[::-1]
# %%
keys = np.concatenate([past_k, k[:, None]] * 1, 1).repeat(n, 0)[np.arange(len(q)) % len(k)]
# %%
s = (keys @ q[:, :, None])[:, :, 0]
# %%
s = (keys @ q[:, :, None])[:, :, 0] / q.shape[1]
# %%
s = (keys @ q[:, :, None])[:, :, 0] / np.sqrt(v.shape[1])
# %%
s = (keys @ q[:, :, None])[:, :, 0] / np.sqrt(keys.shape[1])
# %%
return (softmax(s, 0)[:, None] @ values)[:, 0]
# %%
return (s[:, None] @ values)[:, 0]
# %%
return np.squeeze(softmax(s)[:, None] @ values)
# %%
s = np.squeeze(keys @ q[:, :, None]) / np.sqrt(q.shape[1])
# %%
return ((np.exp(s) / np.exp(s).sum(1, keepdims=True))[:, None] @ values)[:, 0]
# %%
return values[:, -1]
# %%
return values.mean(1)


# %%
def f(q, k, v, past_k, past_v):
    n = len(q) // len(k)
    keys = np.tile(np.concatenate([past_k, k[:, None]], 1), (n, 1, 1))
    values = np.tile(np.concatenate([past_v, v[:, None]], 1), (n, 1, 1))
    s = (keys @ q[:, :, None])[:, :, 0] / np.sqrt(q.shape[1])
    return (softmax(s)[:, None] @ values)[:, 0]
