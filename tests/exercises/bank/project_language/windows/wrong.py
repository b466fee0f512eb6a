import numpy as np

# %%
return rows[:, :-1], rows[:, :-1]
# %%
return rows[:, 1:], rows[:, :-1]
# %%
return rows[:, 1:], rows[:, 1:]
# %%
return rows, rows
# %%
return rows[:, :-1]
# %%
return rows
# %%
rows = np.stack([tokens[s : s + length] for s in starts])
# %%
rows = np.stack([tokens[s * length : s * length + length + 1] for s in range(len(starts))])
# %%
rows = np.stack([tokens[s - 1 : s + length] for s in starts + 1])[:, ::-1]
# %%
rows = np.stack([tokens[s + 1 : s + length + 2][:length] for s in starts])
# %%
return rows[:, :-1].T, rows[:, 1:].T
# %%
return rows[:, :-1], rows[:, -1]
# %%
return rows[:-1], rows[1:]
# %%
return rows[:, :-1], np.roll(rows[:, :-1], 1, 1)
# %%
return rows[:, :-1].astype(float), rows[:, 1:].astype(float)
# %%
return rows[:, :-1], rows[:, :-1] + 1
