import numpy as np

# %%
top, low = m, v
# %%
top, low = m, v / (1 - 0.99**t)
# %%
top, low = m / (1 - 0.9**t), v
# %%
top, low = g, v / (1 - 0.99**t)
# %%
top, low = m / (1 - 0.1**t), v / (1 - 0.01**t)
# %%
top, low = m / (1 - 0.9 * t), v / (1 - 0.99 * t)
# %%
m, v = m + 0.9 * (g - m), v + 0.01 * (g * g - v)
# %%
m, v = m + 0.1 * (g - m), v + 0.99 * (g * g - v)
# %%
m, v = m + 0.1 * (g - m), v + 0.001 * (g * g - v)
# %%
m, v = m + 0.1 * (g - m), v + 0.01 * (g - v)
# %%
m, v = m + 0.1 * g, v + 0.01 * g * g
# %%
return x - rate * top / (low + 1e-8), m, v
# %%
return x + rate * top / (low**0.5 + 1e-8), m, v
# %%
return x - top / (low**0.5 + 1e-8), m, v
# %%
return x - rate * top / (low**0.5 + 1e-8), top, low
# %%
return x - rate * top / (low**0.5 + 1e-8), v, m
# %%
return rate * top / (low**0.5 + 1e-8), m, v
# %%
return x - rate * g, m, v
