import numpy as np

from attn_course.exercises import softmax

# %%
y = x
# %%
y = norm(x, "norm2")
# %%
h = norm(x, "norm1") @ p["inner"]
# %%
h = x @ p["inner"]
# %%
h = y @ p["inner"]
# %%
x = c @ p["output"]
# %%
x = y + c @ p["output"]
# %%
x = x + c
# %%
return (h * (h > 0)) @ p["outer"], w
# %%
return x + h @ p["outer"], w
# %%
return x + np.abs(h) @ p["outer"], w
# %%
return x + (h * (h > 0)) @ p["outer"]
# %%
return x + (h * (h > 0)) @ p["outer"], w.mean(1)
# %%
w = softmax(s)
# %%
w = softmax(s + np.where(np.tri(T).T, 0, -1e30))
# %%
w = softmax(s + np.where(np.tri(T), 0, -10))
# %%
s = np.einsum("bhtk,bhsk->bhts", q, k)
# %%
norm = lambda x, g: x * (np.mean(x * x, -1, keepdims=True) + 1e-6) ** -0.5
